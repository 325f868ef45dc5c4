/* Sorting, without a call for each comparison; and sets of places, which are in order by
 * themselves. */
#include "ranking.h"

static void swap(Ranked *a, Ranked *b) {
    Ranked kept = *a;
    *a = *b, *b = kept;
}

/* Part the rows: what comes before the returned one comes before it in order, too. */
static int64_t part(Ranked *rows, int64_t count) {
    int64_t middle = count / 2, last = count - 1, left = 0;
    if (comes_before(rows[middle], rows[0])) swap(&rows[middle], &rows[0]);
    if (comes_before(rows[last], rows[0])) swap(&rows[last], &rows[0]);
    if (comes_before(rows[last], rows[middle])) swap(&rows[last], &rows[middle]);
    swap(&rows[middle], &rows[last]);
    for (int64_t n = 0; n < last; n++)
        if (comes_before(rows[n], rows[last])) swap(&rows[n], &rows[left++]);
    swap(&rows[left], &rows[last]);
    return left;
}

static void insert(Ranked *rows, int64_t count) {
    for (int64_t n = 1; n < count; n++) {
        Ranked row = rows[n];
        int64_t to = n;
        for (; to > 0 && comes_before(row, rows[to - 1]); to--) rows[to] = rows[to - 1];
        rows[to] = row;
    }
}

/* Let a row sink below those that come after it, in a heap whose first row is the last in order. */
static void sink(Ranked *rows, int64_t at, int64_t count) {
    Ranked row = rows[at];
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && comes_before(rows[child], rows[child + 1])) child++;
        if (!comes_before(row, rows[child])) break;
        rows[at] = rows[child], at = child;
    }
    rows[at] = row;
}

static void sort_heap(Ranked *rows, int64_t count) {
    for (int64_t at = count / 2; at-- > 0;) sink(rows, at, count);
    for (int64_t last = count; last-- > 1;) swap(&rows[0], &rows[last]), sink(rows, 0, last);
}

static int allowed_parts(int64_t count) {
    int allowed = 16;
    for (; count > 1; count /= 2) allowed += 2;
    return allowed;
}

/* As a rule every part halves the rows. Of rows that were made so that it doesn't, a heap is
 * sorted: slower, but never much. */
void sort_ranked(Ranked *rows, int64_t count) {
    for (int allowed = allowed_parts(count); count > 16; allowed--) {
        if (!allowed) {
            sort_heap(rows, count);
            return;
        }
        int64_t at = part(rows, count);
        /* The larger half in this loop: calls are nested by the logarithm only. */
        if (at < count - at) {
            sort_ranked(rows, at);
            rows += at + 1, count -= at + 1;
        } else {
            sort_ranked(rows + at + 1, count - at - 1);
            count = at;
        }
    }
    insert(rows, count);
}

void keep_best(Ranked *rows, int64_t count, int64_t wanted) {
    for (int allowed = allowed_parts(count); count > 16 && wanted > 0 && wanted < count;
         allowed--) {
        if (!allowed) {
            sort_heap(rows, count);
            return;
        }
        int64_t at = part(rows, count);
        if (at > wanted) count = at;
        else rows += at + 1, count -= at + 1, wanted -= at + 1;
    }
    if (wanted > 0 && wanted < count) insert(rows, count);
}

bool make_set(Memory *memory, PlaceSet *set, int64_t length) {
    set->length = length;
    set->bits = TAKE(memory, uint64_t, length / 64 + 1);
    set->before = TAKE(memory, int32_t, length / 64 + 1);
    return !memory->failed;
}

void list_places(Memory *memory, PlaceSet *set, Places *found) {
    int64_t count = 0;
    for (int64_t word = 0; word <= set->length / 64; word++) {
        set->before[word] = (int32_t)count;
        if (set->bits[word]) count += __builtin_popcountll(set->bits[word]);
    }
    found->values = TAKE(memory, int32_t, count);
    found->count = found->room = memory->failed ? 0 : count;
    if (memory->failed) return;
    int32_t *value = found->values;
    for (int64_t word = 0; word <= set->length / 64; word++)
        for (uint64_t bits = set->bits[word]; bits; bits &= bits - 1)
            *value++ = (int32_t)(64 * word + __builtin_ctzll(bits));
}
