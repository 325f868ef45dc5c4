/* Ranking: the parts of one search, in order. */
#include "ranking.h"

/* Near in itself and nearer than most; or, as a single word seldom is near, far nearer than others.
 */
static const double NEAR[2][2] = {{0.3, 1.0}, {0.15, 3.0}};
static const double LESS_NEAR =
    0.15;             /* where too little matches, what is nearer than most is found too */
enum { TOO_FEW = 2 }; /* to say what is usual among them */

/* From which cosine on a document is found without a common word: near in itself, and nearer than
 * most. */
static double find_bound(const Evidence *evidence) {
    double usual = mean(evidence->cosine, evidence->count), squares = 0, bound = INFINITY;
    if (evidence->count <= TOO_FEW) return NEAR[0][0];
    for (int64_t row = 0; row < evidence->count; row++)
        squares += (evidence->cosine[row] - usual) * (evidence->cosine[row] - usual);
    double apart = sqrt(squares / (double)evidence->count);
    if (!(apart > FLAT)) return INFINITY;
    for (int n = 0; n < 2; n++) {
        double nearer = usual + NEAR[n][1] * apart,
               least = NEAR[n][0] > nearer ? NEAR[n][0] : nearer;
        bound = least < bound ? least : bound;
    }
    return bound;
}

static bool leads(const Evidence *evidence, int part, int64_t row) {
    return evidence->parts[part] && evidence->parts[part][row] > 0;
}

/* Where fewer match than are wanted, also what stands in a session with something that matches, and
   what is nearer than most by meaning. */
static int64_t fill(const Evidence *evidence, const Selection *selected, uint8_t *matching) {
    double usual = evidence->cosine ? mean(evidence->cosine, evidence->count) : 0;
    uint8_t *talked = TAKE(evidence->memory, uint8_t, evidence->around.groups);
    int64_t found = 0;
    if (!talked) return 0;
    for (int64_t row = 0; evidence->around.groups && row < evidence->count; row++)
        if (matching[row]) talked[evidence->around.group[row]] = 1;
    for (int64_t row = 0; row < evidence->count; row++) {
        bool beside = evidence->around.groups && talked[evidence->around.group[row]];
        bool nearer =
            evidence->cosine && evidence->cosine[row] >= LESS_NEAR && evidence->cosine[row] > usual;
        if ((beside || nearer) && selected->mask[evidence->places[row]]) matching[row] = 1;
        found += matching[row];
    }
    return found;
}

/* Which rows are found: by words, by meaning, or because something found leads to them. Return how
 * many. */
static int64_t match(const Evidence *evidence, const Selection *selected, uint8_t *matching,
                     Found *found) {
    const Question *asked = evidence->asked;
    double bound = evidence->cosine ? find_bound(evidence) : INFINITY;
    int64_t count = 0;
    for (int64_t row = 0; row < evidence->count; row++) {
        if (!selected->mask[evidence->places[row]])
            continue; /* a neighbour of one that is searched */
        bool near = evidence->cosine && evidence->cosine[row] >= bound;
        bool beside = evidence->words[row] > 0 || leads(evidence, SOURCE, row) ||
                      leads(evidence, LINKED, row);
        matching[row] = near || (asked->beside ? beside : evidence->holds[row]);
        found->words += evidence->tells[row], found->meaning += near, count += matching[row];
    }
    return asked->fill && count < asked->limit ? fill(evidence, selected, matching) : count;
}

/* Sum the kinds of evidence, and show each as its share of that sum. */
static void sum_up(Evidence *evidence) {
    int64_t count = evidence->count;
    for (int part = WORDS; part <= DATE; part++)
        for (int64_t row = 0; evidence->parts[part] && row < count; row++)
            evidence->scores[row] += evidence->parts[part][row];
    double apart = standardise(evidence->scores, count);
    for (int part = WORDS; part <= DATE; part++) {
        double *values = evidence->parts[part], usual = values ? mean(values, count) : 0;
        for (int64_t row = 0; values && row < count; row++)
            values[row] = (values[row] - usual) / (apart > 0 ? apart : 1);
    }
}

static int weigh(Evidence *evidence, const Term *terms) {
    weigh_meaning(evidence);
    int status = weigh_words(evidence, terms);
    if (status != DONE) return status;
    weigh_speaker(evidence);
    weigh_date(evidence);
    if (evidence->memory->failed) return OUT_OF_MEMORY;
    sum_up(evidence);
    weigh_sources(evidence);
    weigh_substance(evidence);
    for (int part = SESSION; part <= SUBSTANCE; part++)
        for (int64_t row = 0; evidence->parts[part] && row < evidence->count; row++)
            evidence->scores[row] += evidence->parts[part][row];
    if (evidence->segment->talk) look_again(evidence);
    return evidence->memory->failed ? OUT_OF_MEMORY : DONE;
}

static bool begin(Evidence *evidence) {
    Memory *memory = evidence->memory;
    int64_t count = evidence->count = evidence->around.count;
    evidence->places = evidence->around.places;
    evidence->sizes = TAKE(memory, double, count), evidence->words = TAKE(memory, double, count);
    evidence->has = TAKE(memory, double, count), evidence->covered = TAKE(memory, double, count);
    evidence->scores = TAKE(memory, double, count);
    evidence->holds = TAKE(memory, uint8_t, count), evidence->tells = TAKE(memory, uint8_t, count);
    if (memory->failed) return false;
    for (int64_t row = 0; row < count; row++)
        evidence->sizes[row] = evidence->segment->size[evidence->places[row]];
    return true;
}

/* Hand over the best `shown`, with what their scores are made of. */
static int show(const Evidence *evidence, const Ranked *rows, int64_t shown, Found *found) {
    const Segment *segment = evidence->segment;
    int64_t *numbers = calloc((size_t)(shown + 1) * (BEFORE_PARTS + PARTS), sizeof(int64_t));
    double *values = (double *)numbers;
    if (!numbers) return OUT_OF_MEMORY;
    for (int64_t n = 0; n < shown; n++) {
        int64_t row = rows[n].row, place = evidence->places[row];
        const int64_t told[WHOLE_NUMBERS] = {place,
                                             segment->doc[place],
                                             segment->seq[place],
                                             segment->until[place],
                                             segment->channel[place],
                                             segment->kind[place],
                                             segment->words[place],
                                             evidence->hop ? evidence->hop[row] : 0};
        for (int at = 0; at < WHOLE_NUMBERS; at++) numbers[at * shown + n] = told[at];
        values[WHOLE_NUMBERS * shown + n] = evidence->scores[row];
        values[(WHOLE_NUMBERS + 1) * shown + n] = evidence->covered[row];
        values[(WHOLE_NUMBERS + 2) * shown + n] = evidence->centred ? evidence->centred[row] : 0;
        for (int part = 0; part < PARTS; part++)
            if (evidence->parts[part])
                values[(BEFORE_PARTS + part) * shown + n] = evidence->parts[part][row];
    }
    for (int part = 0; part < PARTS; part++)
        found->present |= (evidence->parts[part] != NULL) << part;
    found->values = numbers, found->shown = shown, found->has_vectors = evidence->centred != NULL;
    return DONE;
}

static int find(Memory *memory, const Segment *segment, const Question *asked, Found *found) {
    Selection selected;
    PlaceSet inside;
    Evidence evidence = {.memory = memory, .segment = segment, .asked = asked};
    Term *terms = TAKE(memory, Term, asked->term_count);
    if (!terms || !select_documents(memory, segment, &asked->scope, &selected))
        return OUT_OF_MEMORY;
    if (!selected.total) return DONE;
    int status = find_terms(memory, segment, asked, terms);
    if (status == DONE) status = find_candidates(memory, segment, asked, &selected, terms, &inside);
    if (status == DONE) status = find_neighbours(memory, segment, &inside, &evidence.around);
    if (status != DONE || !evidence.around.count) return status;
    if (!begin(&evidence)) return OUT_OF_MEMORY;
    status = weigh(&evidence, terms);
    uint8_t *matching = TAKE(memory, uint8_t, evidence.count);
    Ranked *rows = TAKE(memory, Ranked, evidence.count);
    if (status != DONE || memory->failed) return status != DONE ? status : OUT_OF_MEMORY;
    match(&evidence, &selected, matching, found);
    int64_t count = 0;
    for (int64_t row = 0; row < evidence.count; row++)
        if (matching[row])
            rows[count++] = (Ranked){evidence.scores[row], segment->at[evidence.places[row]], row};
    int64_t shown = count < asked->shown ? count : asked->shown;
    keep_best(rows, count, shown);
    sort_ranked(rows, shown);
    return memory->failed ? OUT_OF_MEMORY : show(&evidence, rows, shown, found);
}

int rank_documents(const Segment *segment, const Question *asked, Found *found) {
    Memory memory = {0};
    *found = (Found){0};
    int status = find(&memory, segment, asked, found);
    let_go(&memory);
    return status;
}

void free_found(Found *found) {
    free(found->values);
    found->values = NULL;
}

/* What a library of other sources than Python's structures would get wrong. */
int64_t sizes(void) {
    return (int64_t)(sizeof(Segment) * 1000000 + sizeof(Question) * 1000 + sizeof(Found));
}
