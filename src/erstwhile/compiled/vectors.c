/* Vectors in a byte a dimension: products with a question's, and which are worth comparing. */
#include "ranking.h"

enum {
    LANES = 8,
    AT_ONCE = 64,
    STRETCH = 16384,
    WORTH = 16
}; /* WORTH: times as many as are wanted are compared by all their signs */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__)
#define FASTEST __attribute__((target_clones("avx2", "popcnt", "default")))
#else
#define FASTEST
#endif

/* The compiler's vectors, which it splits into pieces that the processor has. */
typedef float Lanes __attribute__((vector_size(4 * LANES)));

/* The sums run in lanes whatever the processor has, so that they are the same everywhere. */
FASTEST static void multiply_rows(const Vectors *vectors, const float *first, const float *second,
                                  const int32_t *places, int64_t count, double *by_first,
                                  double *by_second) {
    int32_t dimensions = vectors->dimensions;
    for (int64_t n = 0; n < count; n++) {
        int32_t place = places[n], at = 0;
        if (place < 0 || place >= vectors->rows || vectors->scale[place] == 0) {
            by_first[n] = by_second[n] = NAN;
            continue;
        }
        const int8_t *row = vectors->bytes + (int64_t)place * dimensions;
        Lanes one = {0}, two = {0}, values, a, b;
        for (; at + AT_ONCE <= dimensions; at += AT_ONCE) {
            float converted[AT_ONCE];
            for (int32_t lane = 0; lane < AT_ONCE; lane++) converted[lane] = row[at + lane];
            for (int32_t lane = 0; lane < AT_ONCE; lane += LANES) {
                memcpy(&values, converted + lane, sizeof(values));
                memcpy(&a, first + at + lane, sizeof(a));
                memcpy(&b, second + at + lane, sizeof(b));
                one += values * a, two += values * b;
            }
        }
        for (; at < dimensions; at++)
            one[at % LANES] += row[at] * first[at], two[at % LANES] += row[at] * second[at];
        float sum_one = 0, sum_two = 0;
        for (int lane = 0; lane < LANES; lane++) sum_one += one[lane], sum_two += two[lane];
        by_first[n] = (double)sum_one * (double)vectors->scale[place];
        by_second[n] = (double)sum_two * (double)vectors->scale[place];
    }
}

void multiply(const Vectors *vectors, const float *first, const float *second,
              const int32_t *places, int64_t count, double *by_first, double *by_second) {
    multiply_rows(vectors, first, second, places, count, by_first, by_second);
}

/* The cosine with each, and the cosine as seen from the middle of all: what all texts have in
   common tells none apart. NaN where there is no vector. */
void compare_vectors(const Vectors *vectors, const float *vector, const int32_t *places,
                     int64_t count, double *cosine, double *centred) {
    double across = 0, length = 0;
    for (int32_t n = 0; n < vectors->dimensions; n++) {
        across += (double)vector[n] * (double)vectors->middle[n];
        length += (double)vectors->middle[n] * (double)vectors->middle[n];
    }
    multiply(vectors, vector, vectors->middle, places, count, cosine, centred);
    for (int64_t n = 0; n < count; n++) {
        double along = centred[n], apart = (1 + length - 2 * along) * (1 - 2 * across + length);
        centred[n] = (cosine[n] - along + (length - across)) / sqrt(apart > 1e-9   ? apart
                                                                    : isnan(apart) ? apart
                                                                                   : 1e-9);
    }
}

/* As the signs of stored vectors: a bit a dimension, eight to a byte, the first one highest. */
static void find_signs(const float *vector, int32_t dimensions, uint8_t *bits) {
    for (int32_t n = 0; n < dimensions; n++)
        if (vector[n] > 0) bits[n / 8] |= (uint8_t)(0x80 >> (n % 8));
}

/* In how many signs each differs. */
FASTEST static void count_differences(const Vectors *vectors, const uint64_t *wanted,
                                      int32_t sign_rows, int64_t first, int64_t count,
                                      uint16_t *differ) {
    memset(differ, 0, (size_t)count * sizeof(uint16_t));
    for (int32_t row = 0; row < sign_rows; row++) {
        const uint64_t *signs = vectors->signs + row * vectors->stride + first, sign = wanted[row];
        for (int64_t n = 0; n < count; n++)
            differ[n] += (uint16_t)__builtin_popcountll(signs[n] ^ sign);
    }
}

typedef struct {
    int32_t place, differ;
} Near;

typedef struct {
    Near *rows;
    int64_t count, room, *counted, limit; /* `counted`: how many differ by how much */
    int32_t most, bound;
} Nearest;

/* The least difference that at least `limit` of those counted have; of fewer all. */
static int32_t find_bound(const int64_t *counted, int32_t most, int64_t limit) {
    int64_t reached = 0;
    for (int32_t differ = 0; differ < most; differ++)
        if ((reached += counted[differ]) >= limit) return differ;
    return most;
}

/* Leave out what differs more than `limit` of those seen so far; what differs as much as the last
 * of these stays. */
static void keep_nearest(Nearest *near) {
    int64_t kept = 0;
    near->bound = find_bound(near->counted, near->most, near->limit);
    for (int64_t n = 0; n < near->count; n++)
        if (near->rows[n].differ <= near->bound) near->rows[kept++] = near->rows[n];
    near->count = kept;
}

static void add_near(Memory *memory, Nearest *near, Near row) {
    if (near->count == near->room) {
        Near *grown = TAKE(memory, Near, 2 * near->room);
        if (!grown) return;
        memcpy(grown, near->rows, (size_t)near->count * sizeof(Near));
        near->rows = grown, near->room *= 2;
    }
    near->rows[near->count++] = row;
    near->counted[row.differ]++;
}

/* The rows that differ no more than `bound`, most of which are passed over many at once. Return how
 * many. */
FASTEST static int64_t find_rows(const uint16_t *differ, int64_t count, int32_t bound,
                                 int32_t *rows) {
    int64_t found = 0;
    for (int64_t first = 0; first < count; first += AT_ONCE) {
        int64_t end = first + AT_ONCE < count ? first + AT_ONCE : count;
        uint16_t most = (uint16_t)bound, any = end - first < AT_ONCE;
        if (!any)
            for (int64_t n = 0; n < AT_ONCE; n++) any |= differ[first + n] <= most;
        for (int64_t n = first; any && n < end; n++)
            if (differ[n] <= most) rows[found++] = (int32_t)n;
    }
    return found;
}

/* The nearest by the first half of their signs, at least WORTH times as many as are wanted in the
   end. What some stretch says of how near that is holds for all that follow. */
static void find_worth(Memory *memory, const Vectors *vectors, const uint64_t *wanted, int32_t half,
                       Nearest *near) {
    uint16_t *differ = TAKE(memory, uint16_t, STRETCH);
    int32_t *rows = TAKE(memory, int32_t, STRETCH);
    int64_t *counted = TAKE(memory, int64_t, near->most + 1);
    near->room = 2 * near->limit < vectors->rows ? 2 * near->limit : vectors->rows;
    near->rows = TAKE(memory, Near, near->room);
    if (memory->failed) return;
    for (int64_t first = 0; first < vectors->rows && !memory->failed; first += STRETCH) {
        int64_t count = vectors->rows - first < STRETCH ? vectors->rows - first : STRETCH;
        const float *scale = vectors->scale + first;
        count_differences(vectors, wanted, half, first, count, differ);
        if (near->bound == near->most) {
            for (int64_t n = 0; n < count; n++) counted[differ[n]] += scale[n] > 0;
            near->bound = find_bound(counted, near->most, near->limit);
        }
        int64_t found = find_rows(differ, count, near->bound, rows);
        for (int64_t n = 0; n < found; n++)
            if (scale[rows[n]] > 0)
                add_near(memory, near, (Near){(int32_t)first + rows[n], differ[rows[n]]});
        if (near->count > 2 * near->limit) keep_nearest(near);
    }
    keep_nearest(near);
}

/* Compare by the other signs too. */
FASTEST static void count_rest(const Vectors *vectors, const uint64_t *wanted, int32_t half,
                               Nearest *near) {
    memset(near->counted, 0, (size_t)(near->most + 1) * sizeof(int64_t));
    for (int64_t n = 0; n < near->count; n++) {
        Near *row = &near->rows[n];
        for (int32_t sign = half; sign < vectors->sign_rows; sign++)
            row->differ += __builtin_popcountll(
                vectors->signs[sign * vectors->stride + row->place] ^ wanted[sign]);
        near->counted[row->differ]++;
    }
}

/* Places whose signs agree most with those of a vector, about `limit` of them, in order: those to
   compare in full. Half of the signs tell which are worth comparing by all of them. */
void find_near(Memory *memory, const Vectors *vectors, const float *vector, int64_t limit,
               Places *found) {
    int32_t sign_rows = vectors->sign_rows, half = sign_rows > 1 ? sign_rows / 2 : 1,
            most = 64 * sign_rows;
    if (vectors->filled <= limit) {
        for (int64_t place = 0; place < vectors->rows; place++)
            if (vectors->scale[place] > 0) add_place(memory, found, place);
        return;
    }
    uint64_t *wanted = TAKE(memory, uint64_t, sign_rows);
    Nearest near = {.counted = TAKE(memory, int64_t, most + 1),
                    .limit = WORTH * limit,
                    .most = most,
                    .bound = most};
    if (memory->failed) return;
    find_signs(vector, vectors->dimensions, (uint8_t *)wanted);
    find_worth(memory, vectors, wanted, half, &near);
    if (memory->failed) return;
    count_rest(vectors, wanted, half, &near);
    near.limit = limit;
    keep_nearest(&near);
    for (int64_t n = 0; n < near.count; n++) add_place(memory, found, near.rows[n].place);
}

/* The same for tests. `found` has room for all; return how many. */
int64_t near_places(const Vectors *vectors, const float *vector, int64_t limit, int32_t *found) {
    Memory memory = {0};
    Places near = {0};
    find_near(&memory, vectors, vector, limit, &near);
    if (near.count) memcpy(found, near.values, (size_t)near.count * sizeof(int32_t));
    let_go(&memory);
    return near.count;
}
