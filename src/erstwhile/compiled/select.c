/* Which documents are searched: those of some channels, of a person, of a time and so on. */
#include "ranking.h"

/* A byte for each code up to the largest of some. */
static uint8_t *mark(Memory *memory, const int32_t *codes, int64_t count, int64_t *length) {
    *length = 0;
    for (int64_t n = 0; n < count; n++)
        if (codes[n] >= *length) *length = codes[n] + (int64_t)1;
    uint8_t *marked = TAKE(memory, uint8_t, *length);
    for (int64_t n = 0; marked && n < count; n++)
        if (codes[n] >= 0) marked[codes[n]] = 1;
    return marked;
}

static bool has_conditions(const Scope *scope) {
    return scope->by_channel || scope->by_time || scope->silent_count ||
           scope->person != INT32_MIN || scope->writer != INT32_MIN || scope->trust != INT32_MIN;
}

bool select_documents(Memory *memory, const Segment *segment, const Scope *scope,
                      Selection *selected) {
    int64_t length = segment->length, channels, silent;
    *selected = (Selection){(const uint8_t *)segment->alive, segment->living};
    if (scope->mask) {
        *selected = (Selection){scope->mask, 0};
        for (int64_t n = 0; n < length; n++) selected->total += scope->mask[n] != 0;
        return true;
    }
    if (!has_conditions(scope)) return true;
    const uint8_t *of_channel = mark(memory, scope->channels, scope->channel_count, &channels);
    const uint8_t *is_silent = mark(memory, scope->silent, scope->silent_count, &silent);
    uint8_t *mask = TAKE(memory, uint8_t, length);
    if (memory->failed) return false;
    memcpy(mask, segment->alive, (size_t)length);
    if (scope->by_channel)
        for (int64_t n = 0; n < length; n++) {
            int32_t channel = segment->channel[n];
            mask[n] &= channel >= 0 && channel < channels && of_channel[channel];
        }
    if (scope->silent_count)
        for (int64_t n = 0; n < length; n++) {
            int32_t person = segment->person[n];
            mask[n] &= !(person >= 0 && person < silent && is_silent[person]);
        }
    if (scope->person != INT32_MIN)
        for (int64_t n = 0; n < length; n++) mask[n] &= segment->person[n] == scope->person;
    if (scope->writer != INT32_MIN)
        for (int64_t n = 0; n < length; n++) mask[n] &= segment->writer[n] == scope->writer;
    if (scope->by_time)
        for (int64_t n = 0; n < length; n++)
            mask[n] &= segment->at[n] >= scope->since && segment->at[n] < scope->until;
    if (scope->trust != INT32_MIN)
        for (int64_t n = 0; n < length; n++) mask[n] &= segment->traits[n] >= scope->trust;
    *selected = (Selection){mask, 0};
    for (int64_t n = 0; n < length; n++) selected->total += mask[n];
    return true;
}
