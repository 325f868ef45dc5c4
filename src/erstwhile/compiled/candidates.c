/* Which documents are scored: up to WHOLE all that are searched, of more those that rare words and
 * near vectors find. */
#include "ranking.h"

enum {
    WHOLE = 1000,
    RARE = 60000,      /* places looked at, from the rarest word on, to find candidates */
    CANDIDATES = 100,  /* of each of the two ways, or as many as are wanted */
    FIRST = 10,        /* hits whose names are followed */
    FOLLOWED = 4,      /* names that are looked for outside of what was found */
    MOST_HOLDING = 50, /* messages; a name that more of them have leads nowhere */
    SCANNED = 32768,   /* messages, the latest */
    AT_ONCE = 64       /* of them */
};

typedef struct {
    Memory *memory;
    const Segment *segment;
    const Question *asked;
    const Selection *selected;
    const Term *terms;
    int64_t many;
    int32_t first[FIRST]; /* the best by words, in order */
    int32_t first_count;
} Search;

static void put_selected(const Search *search, PlaceSet *inside, int64_t place) {
    if (search->selected->mask[place]) put(inside, place);
}

/* Add what a word says of the documents that have it; of more than RARE, of the latest of them. */
static int add_scores(const Search *search, const Term *term, float *scores, Places *touched) {
    const Segment *segment = search->segment;
    int64_t counted = term->holding < RARE ? term->holding : RARE,
            left_out = term->holding - counted;
    double usual = (double)(segment->terms > 1 ? segment->terms : 1) / (double)segment->living;
    float weight = (float)(rarity((double)segment->living, (double)counted) * (K1 + 1));
    bool dead = segment->living < segment->length;
    for (int64_t number = 0; number < term->run_count; number++) {
        const Run *run = &term->runs[number];
        int64_t start = 0;
        if (!dead) start = left_out < run->count ? left_out : run->count, left_out -= start;
        for (int64_t n = start; n < run->count; n++) {
            int64_t place = run->places[n] + run->first;
            if (!is_place(place, segment->length)) return DAMAGED;
            if (dead && !segment->alive[place]) continue;
            if (left_out > 0) {
                left_out--;
                continue;
            }
            float count = (float)count_of(term, run, n);
            double room = segment->size[place] * (K1 * B / usual) + K1 * (1 - B) + (double)count;
            scores[place] = (float)((double)scores[place] + (double)(weight * count) / room);
            if (search->selected->mask[place]) add_place(search->memory, touched, place);
        }
    }
    return DONE;
}

/* Scores are above 0, so that their first bits are in order as they are: leave out what surely
 * isn't among the best. */
static void leave_out_worst(Places *places, const float *scores, int64_t wanted) {
    enum { SHIFT = 20, STEPS_OF_SCORES = 1 << (32 - SHIFT) };
    int64_t counted[STEPS_OF_SCORES] = {0}, kept = 0, reached = 0;
    uint32_t bound = STEPS_OF_SCORES, bits;
    for (int64_t n = 0; n < places->count; n++) {
        memcpy(&bits, &scores[places->values[n]], sizeof(bits));
        counted[bits >> SHIFT]++;
    }
    while (bound > 0 && reached < wanted) reached += counted[--bound];
    for (int64_t n = 0; n < places->count; n++) {
        memcpy(&bits, &scores[places->values[n]], sizeof(bits));
        if (bits >> SHIFT >= bound) places->values[kept++] = places->values[n];
    }
    places->count = kept;
}

/* Return the places with their scores, the best `wanted` first. */
static Ranked *rank_places(Memory *memory, const Places *places, const float *scores,
                           int64_t wanted) {
    Ranked *rows = TAKE(memory, Ranked, places->count);
    if (!rows) return NULL;
    for (int64_t n = 0; n < places->count; n++)
        rows[n] = (Ranked){(double)scores[places->values[n]], 0, places->values[n]};
    keep_best(rows, places->count, wanted);
    return rows;
}

/* Find the best by words, from the rarest word on: common words only reorder these, as their weight
 * is small. */
static int find_by_words(Search *search, PlaceSet *inside) {
    Memory *memory = search->memory;
    int64_t count = search->asked->term_count, seen = 0;
    Ranked *order = TAKE(memory, Ranked, count);
    float *scores = TAKE(memory, float, search->segment->length);
    PlaceSet once;
    Places touched = {0}, places;
    if (memory->failed) return OUT_OF_MEMORY;
    for (int64_t n = 0; n < count; n++)
        order[n] = (Ranked){(double)-search->terms[n].holding, 0, n};
    sort_ranked(order, count);
    for (int64_t n = 0; n < count; n++) {
        const Term *term = &search->terms[order[n].row];
        int64_t holding = term->holding < RARE ? term->holding : RARE;
        if (!holding) continue;
        if (seen && seen + term->holding > RARE) break;
        seen += holding;
        int status = add_scores(search, term, scores, &touched);
        if (status != DONE) return status;
    }
    if (4 * search->many < touched.count) { /* a document counts as often as it has words */
        leave_out_worst(&touched, scores, 4 * search->many);
        Ranked *rows = rank_places(memory, &touched, scores, 4 * search->many);
        if (!rows) return OUT_OF_MEMORY;
        touched.count = 4 * search->many;
        for (int64_t n = 0; n < touched.count; n++) touched.values[n] = (int32_t)rows[n].row;
    }
    if (!make_set(memory, &once, search->segment->length)) return OUT_OF_MEMORY;
    for (int64_t n = 0; n < touched.count; n++) put(&once, touched.values[n]);
    list_places(memory, &once, &places);
    Ranked *rows = rank_places(memory, &places, scores, search->many);
    if (memory->failed) return OUT_OF_MEMORY;
    int64_t best = places.count < search->many ? places.count : search->many;
    for (int64_t n = 0; n < best; n++) put(inside, rows[n].row);
    keep_best(rows, best, FIRST);
    search->first_count = (int32_t)(best < FIRST ? best : FIRST);
    sort_ranked(rows, search->first_count);
    for (int32_t n = 0; n < search->first_count; n++) search->first[n] = (int32_t)rows[n].row;
    return DONE;
}

/* Find the nearest by vectors. Where few documents are selected, more must be looked at. */
static int find_by_vectors(const Search *search, PlaceSet *inside) {
    Memory *memory = search->memory;
    const Vectors *vectors = &search->segment->vectors;
    Places near = {0};
    int64_t kept = 0, wide = search->selected->total == search->segment->living ? 2 : 20;
    find_near(memory, vectors, search->asked->vector, wide * search->many, &near);
    for (int64_t n = 0; n < near.count; n++)
        if (is_place(near.values[n], search->segment->length) &&
            search->selected->mask[near.values[n]])
            near.values[kept++] = near.values[n];
    Ranked *rows = TAKE(memory, Ranked, kept);
    double *cosine = TAKE(memory, double, kept), *again = TAKE(memory, double, kept);
    if (memory->failed) return OUT_OF_MEMORY;
    multiply(vectors, search->asked->vector, search->asked->vector, near.values, kept, cosine,
             again);
    for (int64_t n = 0; n < kept; n++) rows[n] = (Ranked){cosine[n], 0, near.values[n]};
    keep_best(rows, kept, search->many);
    for (int64_t n = 0; n < kept && n < search->many; n++) put(inside, rows[n].row);
    return DONE;
}

/* The names of the best by words that the question doesn't have. */
static int32_t choose_names(const Search *search, uint32_t *followed) {
    int32_t count = 0;
    for (int32_t n = 0; n < search->first_count; n++)
        for (int number = 0; number < NAMES && count < FOLLOWED; number++) {
            uint32_t name = search->segment->names[number][search->first[n]];
            bool known = is_told(search->asked, name);
            for (int32_t other = 0; other < count; other++)
                known = known || followed[other] == name;
            if (!known) followed[count++] = name;
        }
    return count;
}

/* Whether one of some documents has the name, without looking at which: that is several times as
 * fast. */
static bool is_among(const Segment *segment, int64_t first, uint32_t name) {
    uint32_t found = 0;
    for (int number = 0; number < NAMES; number++)
        for (int64_t n = 0; n < AT_ONCE; n++) found |= segment->names[number][first + n] == name;
    return found;
}

static bool has_name(const Segment *segment, int64_t place, uint32_t name) {
    bool found = false;
    for (int number = 0; number < NAMES; number++)
        found = found || segment->names[number][place] == name;
    return found;
}

/* Find messages that have a rare name in common with the best by words, which the question doesn't
 * have. */
static void follow_names(const Search *search, PlaceSet *inside) {
    const Segment *segment = search->segment;
    uint32_t followed[FOLLOWED];
    int32_t count = choose_names(search, followed);
    for (int32_t which = 0; which < count; which++) {
        int32_t found[MOST_HOLDING], holding = 0;
        int64_t first = segment->length > SCANNED ? segment->length - SCANNED : 0, end;
        for (; first < segment->length && holding <= MOST_HOLDING; first = end) {
            end = first + AT_ONCE < segment->length ? first + AT_ONCE : segment->length;
            if (end - first == AT_ONCE && !is_among(segment, first, followed[which])) continue;
            for (int64_t place = first; place < end; place++) {
                if (!has_name(segment, place, followed[which])) continue;
                if (holding < MOST_HOLDING) found[holding] = (int32_t)place;
                holding++;
            }
        }
        for (int32_t n = 0; n < holding && holding <= MOST_HOLDING; n++)
            put_selected(search, inside, found[n]);
    }
}

/* Add what stands in the same session as something found, walking from each message to the ones
 * beside it. */
static int fill_sessions(const Search *search, PlaceSet *inside) {
    const Segment *segment = search->segment;
    const int32_t *sides[2] = {segment->before, segment->after};
    Places places;
    PlaceSet seen;
    list_places(search->memory, inside, &places);
    if (!make_set(search->memory, &seen, segment->length)) return OUT_OF_MEMORY;
    for (int64_t n = 0; n < places.count; n++) {
        int32_t from = places.values[n];
        if (has(&seen, from)) continue;
        put(&seen, from);
        for (int side = 0; side < 2; side++)
            for (int64_t place = sides[side][from]; place != -1; place = sides[side][place]) {
                if (!is_place(place, segment->length)) return DAMAGED;
                if (segment->session[place] != segment->session[from] || has(&seen, place)) break;
                put(&seen, place);
                put_selected(search, inside, place);
            }
    }
    return DONE;
}

int find_candidates(Memory *memory, const Segment *segment, const Question *asked,
                    const Selection *selected, const Term *terms, PlaceSet *inside) {
    Search search = {memory,   segment, asked,
                     selected, terms,   asked->limit > CANDIDATES ? asked->limit : CANDIDATES,
                     {0},      0};
    if (!make_set(memory, inside, segment->length)) return OUT_OF_MEMORY;
    if (selected->total <= WHOLE) {
        for (int64_t place = 0; place < segment->length; place++)
            if (selected->mask[place]) put(inside, place);
        return DONE;
    }
    int status = find_by_words(&search, inside);
    if (status == DONE && asked->vector) status = find_by_vectors(&search, inside);
    if (status != DONE) return status;
    for (int64_t n = 0; n < asked->source_count; n++)
        if (is_place(asked->sources[n], segment->length))
            put_selected(&search, inside, asked->sources[n]);
    if (!segment->talk) return DONE;
    follow_names(&search, inside);
    Places places;
    if (asked->fill) {
        list_places(memory, inside, &places);
        if (places.count < asked->limit) return fill_sessions(&search, inside);
    }
    return memory->failed ? OUT_OF_MEMORY : DONE;
}
