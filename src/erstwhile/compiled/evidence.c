/* The kinds of evidence, each standardised: how many standard deviations above the other rows. The
   weights are round and each has its reason; what was tried, and how little depends on them, is in
   docs/decisions/0006-evidence-sums.md. */
#include "ranking.h"

static const double OF_SESSION =
    0.25; /* a session of twenty messages says less about one of them than its own words */
static const double ASKS = 0.5; /* what asks is seldom the answer */
static const double SUBSTANTIAL =
    2.0; /* what says something is worth more than what only stands beside it */
static const double REQUESTED = 0.5; /* what someone wants from now on often is */
static const double SPOKEN =
    1.5; /* who said it is surer than what words and vectors have in common */
static const double LIMIT = 3.0; /* one kind of evidence alone does not decide */

/* Documents without a vector get the average. */
static bool fill_unknown(double *values, int64_t count) {
    double sum = 0;
    int64_t known = 0;
    for (int64_t n = 0; n < count; n++)
        if (!isnan(values[n])) sum += values[n], known++;
    for (int64_t n = 0; known < count && n < count; n++)
        if (isnan(values[n])) values[n] = sum / (double)known;
    return known > 0;
}

void weigh_meaning(Evidence *evidence) {
    const Vectors *vectors = &evidence->segment->vectors;
    int64_t count = evidence->count;
    if (!evidence->asked->vector || !vectors->filled) return;
    double *cosine = TAKE(evidence->memory, double, count),
           *centred = TAKE(evidence->memory, double, count);
    double *above = TAKE(evidence->memory, double, count),
           *shares = TAKE(evidence->memory, double, count);
    if (evidence->memory->failed) return;
    compare_vectors(vectors, evidence->asked->vector, evidence->places, count, cosine, centred);
    if (!fill_unknown(cosine, count) || !fill_unknown(centred, count)) return;
    memcpy(above, centred, (size_t)count * sizeof(double));
    standardise(above, count);
    spread(&evidence->around, above, NULL, count, shares);
    standardise(shares, count);
    for (int64_t row = 0; row < count; row++) shares[row] *= evidence->asked->weight;
    evidence->cosine = cosine, evidence->centred = centred, evidence->above = above;
    evidence->parts[MEANING] = shares;
}

/* BM25 of a count: a second time counts less than the first, and less in a long text, for which
 * there is more room. */
static double saturated(double count, double room) { return count / (count + room) * (K1 + 1); }

static double *find_room(Memory *memory, const double *sizes, int64_t count) {
    double *room = TAKE(memory, double, count), usual = mean(sizes, count);
    for (int64_t n = 0; room && n < count; n++)
        room[n] = sizes[n] * (K1 * B / (usual > 1e-9 ? usual : 1e-9)) + K1 * (1 - B);
    return room;
}

/* How often each row has a term. */
typedef struct {
    double *counts;
    int32_t *rows; /* those that have it */
    int64_t count;
} Holding;

/* Each row once, whatever a damaged file says. */
static void add_count(Holding *holding, int64_t row, double count) {
    if (holding->counts[row] != 0 || !(count > 0)) return;
    holding->counts[row] = count;
    holding->rows[holding->count++] = (int32_t)row;
}

/* The fewer are looked up among the more. */
static bool count_term(const Evidence *evidence, const Term *term, Holding *holding) {
    const PlaceSet *set = &evidence->around.set;
    int64_t length = evidence->segment->length;
    while (holding->count) holding->counts[holding->rows[--holding->count]] = 0;
    for (int64_t number = 0; number < term->run_count; number++) {
        const Run *run = &term->runs[number];
        if (run->count < 16 * evidence->count) {
            for (int64_t n = 0; n < run->count; n++) {
                int64_t place = run->places[n] + run->first;
                if (!is_place(place, length)) return false;
                if (has(set, place)) add_count(holding, row_of(set, place), count_of(term, run, n));
            }
            continue;
        }
        for (int64_t row = 0, n = 0; row < evidence->count && n < run->count; row++) {
            int64_t wanted = evidence->places[row] - run->first, step = 1;
            while (n + step < run->count && run->places[n + step] < wanted) n += step, step *= 2;
            for (int64_t high = n + step < run->count ? n + step : run->count; n < high;) {
                int64_t middle = n + (high - n) / 2;
                if (run->places[middle] < wanted) n = middle + 1;
                else high = middle;
            }
            if (n < run->count && run->places[n] == wanted)
                add_count(holding, row, count_of(term, run, n));
        }
    }
    return true;
}

/* The same with a share of the neighbours'; and for how much there is room in each, with and
 * without these. */
typedef struct {
    double *counts, *room, *own_room;
} Shares;

typedef struct {
    double *sums, *sizes, *scores; /* a number for each session */
    double *room;
} Sessions;

/* Score sessions by BM25, as far as their messages are among the rows. */
static void add_to_sessions(const Evidence *evidence, Sessions *sessions, const Holding *term) {
    int64_t groups = evidence->around.groups, holding = 0;
    memset(sessions->sums, 0, (size_t)groups * sizeof(double));
    for (int64_t n = 0; n < term->count; n++)
        sessions->sums[evidence->around.group[term->rows[n]]] += term->counts[term->rows[n]];
    for (int64_t n = 0; n < groups; n++) holding += sessions->sums[n] > 0;
    double weight = rarity((double)groups, (double)holding);
    for (int64_t n = 0; n < groups; n++)
        if (sessions->sums[n] > 0)
            sessions->scores[n] += weight * saturated(sessions->sums[n], sessions->room[n]);
}

static bool begin_sessions(Evidence *evidence, Sessions *sessions) {
    Memory *memory = evidence->memory;
    int64_t groups = evidence->around.groups;
    sessions->sums = TAKE(memory, double, groups);
    sessions->sizes = TAKE(memory, double, groups);
    sessions->scores = TAKE(memory, double, groups);
    if (memory->failed) return false;
    for (int64_t row = 0; row < evidence->count; row++)
        sessions->sizes[evidence->around.group[row]] += evidence->sizes[row];
    sessions->room = find_room(memory, sessions->sizes, groups);
    return !memory->failed;
}

static void end_sessions(Evidence *evidence, const Sessions *sessions) {
    double *found = evidence->parts[SESSION] = TAKE(evidence->memory, double, evidence->count);
    if (!found) return;
    for (int64_t row = 0; row < evidence->count; row++)
        found[row] = sessions->scores[evidence->around.group[row]];
    standardise(found, evidence->count);
    for (int64_t row = 0; row < evidence->count; row++) found[row] *= OF_SESSION;
}

/* What one term says of each row: BM25 over the document with a share of its neighbours, so that a
   question's words may be spread over a message and the one before it; over the document itself;
   and how much of the words is covered. */
static void add_term(Evidence *evidence, const Term *term, int kind, double share,
                     const Holding *holding, const Shares *shares) {
    for (int64_t row = 0; row < evidence->count; row++) {
        double spread_count = shares->counts[row],
               told = kind & NAMED ? holding->counts[row] : spread_count;
        if (spread_count == 0) continue;
        evidence->words[row] +=
            term->rarity *
            saturated(told, shares->room[row]); /* a name is searched in the message itself */
        evidence->covered[row] += share * (spread_count < 1 ? spread_count : 1);
    }
    for (int64_t n = 0; n < holding->count; n++) {
        int32_t row = holding->rows[n];
        evidence->has[row] += term->rarity * saturated(holding->counts[row], shares->own_room[row]);
        evidence->holds[row] = 1;
        if (kind & TELLS) evidence->tells[row] = 1;
    }
}

int weigh_words(Evidence *evidence, const Term *terms) {
    const Question *asked = evidence->asked;
    Memory *memory = evidence->memory;
    int64_t count = evidence->count;
    Holding holding = {TAKE(memory, double, count), TAKE(memory, int32_t, count), 0};
    Shares shares = {.counts = TAKE(memory, double, count)};
    Sessions sessions = {0};
    double whole = 0;
    bool any = false, by_session = evidence->around.groups > 1;
    if (memory->failed) return OUT_OF_MEMORY;
    spread(&evidence->around, evidence->sizes, NULL, count, shares.counts);
    shares.room = find_room(memory, shares.counts, count),
    shares.own_room = find_room(memory, evidence->sizes, count);
    if (memory->failed || (by_session && !begin_sessions(evidence, &sessions)))
        return OUT_OF_MEMORY;
    for (int64_t n = 0; n < asked->term_count; n++)
        if (asked->terms[n] & COUNTED) whole += 1 + terms[n].rarity;
    for (int64_t n = 0; n < asked->term_count; n++) {
        if (!terms[n].holding) continue;
        any = true;
        if (!count_term(evidence, &terms[n], &holding)) return DAMAGED;
        spread(&evidence->around, holding.counts, holding.rows, holding.count, shares.counts);
        double share = asked->terms[n] & COUNTED ? (1 + terms[n].rarity) / whole : 0;
        add_term(evidence, &terms[n], asked->terms[n], share, &holding, &shares);
        if (by_session) add_to_sessions(evidence, &sessions, &holding);
    }
    if (any && by_session) end_sessions(evidence, &sessions);
    double *words = evidence->parts[WORDS] = TAKE(memory, double, count);
    if (memory->failed) return OUT_OF_MEMORY;
    memcpy(words, evidence->words, (size_t)count * sizeof(double));
    standardise(words, count);
    return DONE;
}

static void standardise_limited(double *values, int64_t count, double weight) {
    standardise(values, count);
    for (int64_t n = 0; n < count; n++)
        values[n] = weight * (values[n] < LIMIT ? values[n] : LIMIT);
}

/* What was said by people the question names: they have probably said it. The less they speak, the
 * more it counts. */
void weigh_speaker(Evidence *evidence) {
    const Question *asked = evidence->asked;
    if (!asked->by_speaker) return;
    double *said = evidence->parts[SPEAKER] = TAKE(evidence->memory, double, evidence->count);
    for (int64_t row = 0; said && row < evidence->count; row++) {
        int32_t place = evidence->places[row], person = evidence->segment->person[place];
        bool is_reply = evidence->segment->traits[place] & REPLY;
        for (int64_t n = 0; n < asked->people_count && !asked->replied; n++)
            if (asked->people[n] >= 0 && asked->people[n] == person)
                said[row] = !(asked->anyone && is_reply);
        if (asked->replied) said[row] = is_reply;
    }
    if (said) standardise_limited(said, evidence->count, SPOKEN);
}

void weigh_date(Evidence *evidence) {
    const Question *asked = evidence->asked;
    if (!asked->span_count) return;
    double *inside = evidence->parts[DATE] = TAKE(evidence->memory, double, evidence->count);
    for (int64_t row = 0; inside && row < evidence->count; row++) {
        int64_t at = evidence->segment->at[evidence->places[row]];
        for (int64_t n = 0; n < asked->span_count; n++) {
            const Span *span = &asked->spans[n];
            if ((!span->begins || at >= span->begin) && (!span->ends || at < span->end))
                inside[row] = 1;
        }
    }
    if (inside) standardise_limited(inside, evidence->count, 1);
}

/* Memories lend a score to the messages they come from. */
void weigh_sources(Evidence *evidence) {
    const Question *asked = evidence->asked;
    if (!asked->source_count) return;
    double *found = evidence->parts[SOURCE] = TAKE(evidence->memory, double, evidence->count);
    for (int64_t n = 0; found && n < asked->source_count; n++) {
        int64_t place = asked->sources[n];
        if (is_place(place, evidence->segment->length) && has(&evidence->around.set, place))
            found[row_of(&evidence->around.set, place)] = asked->lent[n];
    }
}

/* Length, and whether it is a question: short texts say little, and a question seldom contains its
   answer. In talk with an assistant length says no more from ENOUGH terms on, and a longer message
   is less of a question. */
void weigh_substance(Evidence *evidence) {
    const Segment *segment = evidence->segment;
    if (!segment->talk) return;
    double *found = evidence->parts[SUBSTANCE] = TAKE(evidence->memory, double, evidence->count);
    for (int64_t row = 0; found && row < evidence->count; row++) {
        int8_t traits = segment->traits[evidence->places[row]];
        double size = evidence->sizes[row], usual = evidence->around.usual,
               asks = traits & QUESTION ? ASKS : 0;
        double enough = segment->with_assistant && size > ENOUGH ? ENOUGH : size, requested = 0;
        if (segment->with_assistant) {
            asks *= enough / (size > 1 ? size : 1);
            requested = traits & REQUEST ? REQUESTED : 0;
        }
        found[row] = SUBSTANTIAL * (enough / (enough + usual) - asks + requested);
    }
}
