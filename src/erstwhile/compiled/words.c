/* Words: which documents have the terms of a question, or words spelt like them. */
#include "ranking.h"

static int64_t find_key(const uint64_t *keys, int64_t count, uint64_t wanted) {
    int64_t low = 0;
    for (int64_t left = count; left > 0;) {
        int64_t half = left / 2;
        if (keys[low + half] < wanted) low += half + 1, left -= half + 1;
        else left = half;
    }
    return low < count && keys[low] == wanted ? low : -1;
}

/* Where each word is, block by block. False: a block doesn't have the postings that it says. */
static bool find_runs(const Segment *segment, const Lookup *lookup, Run *runs, int64_t *count) {
    *count = 0;
    for (int64_t n = 0; n < segment->block_count; n++) {
        const Block *block = &segment->blocks[n];
        for (int64_t word = 0; word < lookup->word_count; word++) {
            int64_t at = find_key(block->keys, block->key_count, lookup->words[word].key);
            if (at < 0) continue;
            int64_t start = block->starts[at], end = block->starts[at + 1];
            if (start < 0 || end < start || end > block->place_count) return false;
            if (end > start)
                runs[(*count)++] = (Run){block->places + start, block->counts + start, end - start,
                                         block->first, word};
        }
    }
    for (int64_t n = 0; n < lookup->open_count; n++)
        if (is_place(lookup->open[n].word, lookup->word_count)) runs[(*count)++] = lookup->open[n];
    return true;
}

static int64_t most_runs(const Segment *segment, const Lookup *lookup) {
    return lookup->word_count * segment->block_count + lookup->open_count;
}

bool is_there(const Segment *segment, const Run *run, int64_t number) {
    int64_t place = run->places[number] + run->first;
    return is_place(place, segment->length) && segment->alive[place];
}

/* How many documents that are still there have it. */
static int64_t count_living(const Segment *segment, const Run *run) {
    if (segment->living == segment->length) return run->count;
    int64_t found = 0;
    for (int64_t n = 0; n < run->count; n++) found += is_there(segment, run, n);
    return found;
}

/* Join words spelt alike: of those in one document the most similar counts. */
static void join(Memory *memory, const Segment *segment, const Lookup *lookup, const Run *runs,
                 int64_t count, Term *term) {
    int64_t most = 0, kept = 0;
    for (int64_t n = 0; n < count; n++) most += runs[n].count;
    Ranked *rows = TAKE(memory, Ranked, most);
    int32_t *places = TAKE(memory, int32_t, most);
    float *weights = TAKE(memory, float, most);
    Run *run = TAKE(memory, Run, 1);
    if (memory->failed) return;
    most = 0;
    for (int64_t n = 0; n < count; n++)
        for (int64_t at = 0; at < runs[n].count; at++) {
            if (!is_there(segment, &runs[n], at)) continue;
            double place = (double)(runs[n].places[at] + runs[n].first);
            float weight = (float)runs[n].counts[at] * lookup->words[runs[n].word].like;
            rows[most] = (Ranked){-place, 0, most}; /* in order of place */
            weights[most++] = weight;
        }
    float *found = TAKE(memory, float, most);
    if (memory->failed) return;
    sort_ranked(rows, most);
    for (int64_t n = 0; n < most; n++) {
        int32_t place = (int32_t)-rows[n].score;
        if (kept && places[kept - 1] == place) {
            if (weights[rows[n].row] > found[kept - 1]) found[kept - 1] = weights[rows[n].row];
            continue;
        }
        places[kept] = place;
        found[kept++] = weights[rows[n].row];
    }
    *run = (Run){places, NULL, kept, 0, 0};
    *term = (Term){.runs = run, .weights = found, .run_count = kept > 0, .holding = kept};
}

int find_terms(Memory *memory, const Segment *segment, const Question *asked, Term *terms) {
    const Lookup *lookup = &asked->lookup;
    Run *runs = TAKE(memory, Run, most_runs(segment, lookup)),
        *sorted = TAKE(memory, Run, most_runs(segment, lookup));
    int64_t *starts = TAKE(memory, int64_t, asked->term_count + 1),
            *words = TAKE(memory, int64_t, asked->term_count), count;
    if (memory->failed) return OUT_OF_MEMORY;
    for (int64_t n = 0; n < lookup->word_count; n++) {
        if (!is_place(lookup->words[n].term, asked->term_count)) return DAMAGED;
        words[lookup->words[n].term]++;
    }
    if (!find_runs(segment, lookup, runs, &count)) return DAMAGED;
    for (int64_t n = 0; n < count; n++) starts[lookup->words[runs[n].word].term + 1]++;
    for (int64_t term = 0; term < asked->term_count; term++) starts[term + 1] += starts[term];
    for (int64_t n = 0; n < count; n++) { /* by term; those of one word stay in order of place */
        int64_t term = lookup->words[runs[n].word].term;
        sorted[starts[term]++] = runs[n];
    }
    for (int64_t number = 0, start = 0; number < asked->term_count; start = starts[number++]) {
        Term *term = &terms[number];
        const Run *first = sorted + start;
        int64_t its = starts[number] - start;
        *term = (Term){.runs = first, .run_count = its};
        if (words[number] > 1 && its) join(memory, segment, lookup, first, its, term);
        else
            for (int64_t n = 0; n < its; n++) term->holding += count_living(segment, &first[n]);
        if (memory->failed) return OUT_OF_MEMORY;
        if (!term->holding) term->run_count = 0;
        term->rarity = rarity((double)segment->living, (double)term->holding);
    }
    return DONE;
}

/* Tell which words a document has. */
int find_words(const Segment *segment, const Lookup *lookup, uint8_t *found) {
    Memory memory = {0};
    Run *runs = TAKE(&memory, Run, most_runs(segment, lookup));
    int64_t count;
    int status = memory.failed                              ? OUT_OF_MEMORY
                 : find_runs(segment, lookup, runs, &count) ? DONE
                                                            : DAMAGED;
    for (int64_t n = 0; status == DONE && n < count; n++)
        for (int64_t at = 0; at < runs[n].count && !found[runs[n].word]; at++)
            found[runs[n].word] = is_there(segment, &runs[n], at);
    let_go(&memory);
    return status;
}
