/* The neighbours of candidates: an answer often stands beside the words of its question. */
#include "ranking.h"

static const double HALF =
    0.5; /* what a neighbour's words count, and at each further step half as much again */

/* Add those on one side, in the same session, as many steps away as count. */
static bool put_beside(const Segment *segment, const int32_t *beside, int32_t from,
                       PlaceSet *every) {
    int64_t place = from;
    for (int step = 0; step < STEPS; step++) {
        place = beside[place];
        if (place == -1) return true;
        if (!is_place(place, segment->length)) return false;
        if (segment->session[place] != segment->session[from])
            return true; /* sessions of a channel follow each other */
        put(every, place);
    }
    return true;
}

/* Number the sessions of the rows, in a table of numbers by session in which the next place is
 * taken if one isn't free. */
static bool group_sessions(Memory *memory, const Segment *segment, Neighbours *around) {
    int64_t room = 16;
    while (room < 2 * around->count) room *= 2;
    int32_t *numbers = TAKE(memory, int32_t, room), *sessions = TAKE(memory, int32_t, room);
    if (memory->failed) return false;
    for (int64_t row = 0; row < around->count; row++) {
        int32_t session = segment->session[around->places[row]];
        int64_t at =
            (int64_t)(((uint64_t)(uint32_t)session * 0x9E3779B97F4A7C15u) >> 32) & (room - 1);
        while (numbers[at] && sessions[at] != session) at = (at + 1) & (room - 1);
        if (!numbers[at]) numbers[at] = (int32_t)++around->groups, sessions[at] = session;
        around->group[row] = numbers[at] - 1;
    }
    return true;
}

/* How long these messages usually are; in talk with an assistant, how long those of people are. */
static double usual_size(Memory *memory, const Segment *segment, const Neighbours *around) {
    Ranked *rows = TAKE(memory, Ranked, around->count);
    int64_t count = 0;
    if (!rows) return 1;
    for (int64_t row = 0; row < around->count; row++) {
        int32_t place = around->places[row], size = segment->size[place];
        if (segment->with_assistant && segment->traits[place] & REPLY) continue;
        rows[count++] = (Ranked){size > 1 ? size : 1, 0, row};
    }
    if (!count) return ENOUGH;
    int64_t middle = count / 2;
    double lower = INFINITY, next = INFINITY;
    keep_best(rows, count, middle + 1);
    for (int64_t n = 0; n <= middle; n++) {
        if (rows[n].score < lower) next = lower, lower = rows[n].score;
        else if (rows[n].score < next) next = rows[n].score;
    }
    double usual = count % 2 ? lower : (lower + next) / 2;
    return segment->with_assistant && usual > ENOUGH ? ENOUGH : usual;
}

static void find_beside(const Segment *segment, Neighbours *around) {
    for (int64_t row = 0; row < around->count; row++)
        around->beside[0][row] = around->beside[1][row] = (int32_t)around->count;
    for (int64_t row = 0; row < around->count; row++) {
        int64_t place = segment->before[around->places[row]];
        if (!is_place(place, segment->length) || !has(&around->set, place)) continue;
        if (segment->session[place] != segment->session[around->places[row]]) continue;
        int32_t before = row_of(&around->set, place);
        around->beside[0][row] = before, around->beside[1][before] = (int32_t)row;
    }
}

int find_neighbours(Memory *memory, const Segment *segment, PlaceSet *inside, Neighbours *around) {
    Places every;
    list_places(memory, inside, &every);
    *around = (Neighbours){.set = *inside};
    if (memory->failed) return OUT_OF_MEMORY;
    if (segment->talk) {
        if (!make_set(memory, &around->set, segment->length)) return OUT_OF_MEMORY;
        memcpy(around->set.bits, inside->bits,
               (size_t)(segment->length / 64 + 1) * sizeof(uint64_t));
        for (int64_t n = 0; n < every.count; n++)
            for (int side = 0; side < 2; side++)
                if (!put_beside(segment, side ? segment->after : segment->before, every.values[n],
                                &around->set))
                    return DAMAGED;
        list_places(memory, &around->set, &every);
    }
    around->places = every.values, around->count = every.count;
    if (!segment->talk || !every.count) return memory->failed ? OUT_OF_MEMORY : DONE;
    around->beside[0] = TAKE(memory, int32_t, every.count);
    around->beside[1] = TAKE(memory, int32_t, every.count);
    around->group = TAKE(memory, int32_t, every.count);
    around->lean = TAKE(memory, double, every.count);
    if (memory->failed || !group_sessions(memory, segment, around)) return OUT_OF_MEMORY;
    find_beside(segment, around);
    around->usual = usual_size(memory, segment, around);
    for (int64_t row = 0; row < around->count; row++) {
        double size = segment->size[around->places[row]];
        around->lean[row] = size > around->usual ? around->usual / size : 1;
    }
    return memory->failed ? OUT_OF_MEMORY : DONE;
}

/* Add to each value a share of its neighbours'. A long neighbour gives no more than an ordinary
   one: a long reply must not outweigh the question before it. Without neighbours the values stay as
   they are. `rows`: those whose value isn't 0. */
void spread(const Neighbours *around, const double *values, const int32_t *rows, int64_t count,
            double *shares) {
    memset(shares, 0, (size_t)around->count * sizeof(double));
    for (int64_t n = 0; n < count; n++) {
        int32_t row = rows ? rows[n] : (int32_t)n;
        shares[row] += values[row];
        for (int side = 0; side < 2 && around->lean; side++) {
            double given = values[row] * around->lean[row];
            int32_t to = around->beside[side][row];
            for (int step = 0; step < STEPS && to < around->count;
                 step++, to = around->beside[side][to])
                shares[to] += (given *= HALF) * around->lean[to];
        }
    }
}
