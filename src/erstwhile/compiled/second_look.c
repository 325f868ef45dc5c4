/* The second look at what was found: when it happened, what it answers, and which names it shares
   with the first hits. docs/decisions/0015-the-second-look.md has the reason of each number. */
#include "ranking.h"

static const double DAY = 86400e6;                 /* microseconds */
static const int64_t AFTERWARDS = 7 * 86400000000; /* people tell of a day for about a week */
static const double HAPPENED = 1.0;                /* in the time that the question mentions */
static const double WHEN = 1.0; /* what tells a time, if the question asks for one */
static const double ANSWERS =
    0.1; /* what the question before it has, in words and in meaning each */
static const double SHARED = 0.5;      /* names in common with the first hits, by rarity and by what
                                          share of their scores has them */
static const double MOST_SHARED = 1.5; /* names alone do not decide */
static const double COMMON = 0.05;     /* a name in more of the messages than this links nothing */
static const double FEW = 3;           /* messages; a name that so many have is rare anyhow */
enum { FIRST = 10, MOST_NAMES = FIRST * NAMES }; /* hits whose names are followed */

/* How much of the time that a message tells of is in the time the question mentions; and, if the
   question asks for a time, that it tells one. */
static void weigh_event(Evidence *evidence) {
    const Question *asked = evidence->asked;
    if (!asked->span_count && !asked->asks_when) return;
    double *found = evidence->parts[EVENT] = TAKE(evidence->memory, double, evidence->count);
    for (int64_t row = 0; found && row < evidence->count; row++) {
        int32_t place = evidence->places[row];
        double first = evidence->segment->first_day[place], days = evidence->segment->days[place],
               share = 0;
        if (days <= 0) continue;
        for (int64_t n = 0; n < asked->span_count; n++) {
            const Span *span = &asked->spans[n];
            double low = first, high = first + days;
            if (span->begins && (double)span->begin / DAY > low) low = (double)span->begin / DAY;
            if (span->ends && (double)(span->end - AFTERWARDS) / DAY < high)
                high = (double)(span->end - AFTERWARDS) / DAY;
            if ((high - low) / days > share) share = (high - low) / days;
        }
        found[row] = HAPPENED * share + (asked->asks_when ? WHEN : 0);
    }
}

/* What the message before has, if that is someone else's question: "she", "there" and "that trip"
   in an answer mean what is in the question. In talk with an assistant every reply follows a
   question, and that tells nothing. */
static void weigh_answer(Evidence *evidence) {
    const Segment *segment = evidence->segment;
    if (segment->with_assistant) return;
    double *found = evidence->parts[ANSWER] = TAKE(evidence->memory, double, evidence->count);
    if (!found) return;
    standardise(evidence->has, evidence->count);
    for (int64_t row = 0; row < evidence->count; row++) {
        int32_t before = evidence->around.beside[0][row];
        if (before >= evidence->count) continue;
        int32_t place = evidence->places[row], asking = evidence->places[before];
        if (!(segment->traits[asking] & QUESTION) ||
            segment->person[asking] == segment->person[place])
            continue;
        found[row] =
            ANSWERS * (evidence->has[before] + (evidence->above ? evidence->above[before] : 0));
    }
}

/* Names in common */

typedef struct {
    uint32_t names[MOST_NAMES];
    double shares[MOST_NAMES], rarity[MOST_NAMES];
    int64_t holding[MOST_NAMES];
    int count;
} Names;

static int number_of(const Names *names, uint32_t name) {
    for (int n = 0; n < names->count; n++)
        if (names->names[n] == name) return n;
    return -1;
}

/* The rows of the best above 0; of equal ones, as far as they are rounded, those in front. */
static int find_first(const Evidence *evidence, Ranked *first) {
    int count = 0;
    for (int64_t row = 0; row < evidence->count; row++) {
        Ranked found = {rint(evidence->scores[row] * 1e6), 0, row};
        if (!(evidence->scores[row] > 0) ||
            (count == FIRST && !comes_before(found, first[FIRST - 1])))
            continue;
        int at = count < FIRST ? count++ : FIRST - 1;
        for (; at > 0 && comes_before(found, first[at - 1]); at--) first[at] = first[at - 1];
        first[at] = found;
    }
    return count;
}

/* How rare each name is, and what share of the scores of the first hits has it. `lent`: the share
 * of each row. */
static void count_names(const Evidence *evidence, Names *names, const double *lent) {
    for (int64_t row = 0; row < evidence->count; row++)
        for (int column = 0; column < NAMES; column++) {
            uint32_t name = evidence->segment->names[column][evidence->places[row]];
            if (!name) break; /* names come first, and most messages have none */
            int number = number_of(names, name);
            if (number < 0) continue;
            names->holding[number]++;
            names->shares[number] += lent[row];
        }
    double many = COMMON * (double)evidence->count;
    for (int n = 0; n < names->count; n++)
        if ((double)names->holding[n] <= (many > FEW ? many : FEW))
            names->rarity[n] = rarity((double)evidence->count, (double)names->holding[n]);
}

/* Rare names in common with the first hits that the question doesn't have: the better the hit and
   the rarer the name, the more. A hit isn't linked to itself. The name that counts most is its
   hop. */
static void weigh_links(Evidence *evidence) {
    const Segment *segment = evidence->segment;
    Ranked rows[FIRST];
    double *lent = TAKE(evidence->memory, double, evidence->count), sum = 0;
    Names names = {.count = 0};
    if (evidence->memory->failed) return;
    int first = find_first(evidence, rows);
    for (int n = 0; n < first; n++) sum += evidence->scores[rows[n].row];
    for (int n = 0; n < first; n++) {
        lent[rows[n].row] = evidence->scores[rows[n].row] / sum;
        for (int column = 0; column < NAMES; column++) {
            uint32_t name = segment->names[column][evidence->places[rows[n].row]];
            if (!is_told(evidence->asked, name) && number_of(&names, name) < 0)
                names.names[names.count++] = name;
        }
    }
    if (!names.count) return;
    double *found = evidence->parts[LINKED] = TAKE(evidence->memory, double, evidence->count);
    evidence->hop = TAKE(evidence->memory, uint32_t, evidence->count);
    if (evidence->memory->failed) return;
    count_names(evidence, &names, lent);
    for (int64_t row = 0; row < evidence->count; row++) {
        double most = 1e-9; /* less is rounding */
        for (int column = 0; column < NAMES; column++) {
            uint32_t name = segment->names[column][evidence->places[row]];
            if (!name) break;
            int number = number_of(&names, name);
            if (number < 0) continue;
            double share = (names.shares[number] - lent[row]) * names.rarity[number];
            found[row] += share;
            if (share > most) most = share, evidence->hop[row] = name;
        }
        found[row] = found[row] > 1e-9 ? SHARED * found[row] : 0;
        if (found[row] > MOST_SHARED) found[row] = MOST_SHARED;
    }
}

void look_again(Evidence *evidence) {
    static const int SECOND[] = {EVENT, ANSWER, LINKED};
    weigh_event(evidence);
    weigh_answer(evidence);
    weigh_links(evidence);
    for (int n = 0; n < 3; n++)
        for (int64_t row = 0; evidence->parts[SECOND[n]] && row < evidence->count; row++)
            evidence->scores[row] += evidence->parts[SECOND[n]][row];
}
