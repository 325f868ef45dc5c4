/* Ranking: plain arithmetic over arrays, no database and no Python. erstwhile/compiled/__init__.py
   declares the structures that come from Python and go there;
   docs/decisions/0021-compiled-ranking.md says why this part is in C.

   A document is a row of a segment, its "place". Candidates with their neighbours are the "rows"
   that are scored, in order of place. Places come from files that may be damaged, so every place is
   checked before it is used. */
#ifndef ERSTWHILE_RANKING_H
#define ERSTWHILE_RANKING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

enum { NAMES = 3, STEPS = 3 };
enum { QUESTION = 1, REPLY = 2, REQUEST = 4 }; /* traits of messages, as in index/traits.py */
enum {
    NAMED = 1,
    COUNTED = 2,
    TELLS = 4
}; /* a term is a name; counts in the estimate; tells that a document has a word */
enum { DONE = 0, OUT_OF_MEMORY = 1, DAMAGED = 2 }; /* what functions return to Python */
enum { WORDS, MEANING, SPEAKER, DATE, SESSION, SOURCE, SUBSTANCE, EVENT, ANSWER, LINKED, PARTS };

static const double K1 = 1.2, B = 0.75; /* of BM25, as everywhere */
static const double FLAT = 1e-12;       /* a deviation that is only rounding */
static const int ENOUGH =
    20; /* terms of a message that says what it has to say; an assistant's need no more */

/* Vectors: a byte a dimension, a scale (0: no vector), and their signs, a row for every 64
 * dimensions. */
typedef struct {
    const int8_t *bytes;
    const float *scale, *middle;
    const uint64_t *signs;
    int64_t stride, rows, filled; /* `stride`: from one row of signs to the next */
    int32_t dimensions, sign_rows;
} Vectors;

/* Postings: the documents of the n-th key are places[starts[n]] to places[starts[n + 1]], counted
 * from `first`. */
typedef struct {
    const uint64_t *keys;
    const int64_t *starts;
    const int32_t *places;
    const uint8_t *counts;
    int64_t key_count, place_count, first;
} Block;

typedef struct {
    const int64_t *doc, *at;
    const int32_t *channel, *person, *writer, *seq, *until, *size, *before, *after, *session,
        *first_day;
    const uint32_t *words, *names[NAMES];
    const int16_t *kind, *days;
    const int8_t *traits, *alive;
    const Block *blocks;
    int64_t block_count, length, living,
        terms; /* `living`: documents that are there; `terms`: the sum of their sizes */
    int32_t talk, with_assistant;
    Vectors vectors;
} Segment;

/* A word to look up: a term of the question, or one spelt like it. */
typedef struct {
    uint64_t key;
    float like;
    int32_t term;
} Word;

/* Documents that have a word, in order, and how often. `first` is added to each place. */
typedef struct {
    const int32_t *places;
    const uint8_t *counts;
    int64_t count, first;
    int64_t word;
} Run;

typedef struct {
    const Word *words;
    const Run *open; /* words in postings that are not in a block yet */
    int64_t word_count, open_count;
} Lookup;

/* Which documents are searched. Codes of channels, a person, a writer; INT32_MIN: any. `mask`:
 * instead of all that. */
typedef struct {
    const uint8_t *mask;
    const int32_t *channels, *silent;
    int64_t channel_count, silent_count, since, until;
    int32_t person, writer, trust, by_channel, by_time;
} Scope;

typedef struct {
    int64_t begin, end;
    int32_t begins, ends; /* whether it has a begin, an end */
} Span;

typedef struct {
    Lookup lookup;
    Scope scope;
    const uint8_t *terms; /* what each is, in bits: NAMED, COUNTED, TELLS */
    const float *vector;  /* NULL: none */
    const int32_t *people;
    const Span *spans;
    const uint32_t *told;   /* the names in the question */
    const int64_t *sources; /* messages to which memories lend a score */
    const double *lent;
    int64_t term_count, people_count, span_count, told_count, source_count;
    int64_t limit,
        shown;     /* how many are wanted; how many are returned, in order, with their parts */
    double weight; /* of nearness by vectors */
    int32_t by_speaker, anyone, replied, asks_when, beside, fill;
} Question;

/* What was found. `values` has rows of `shown` numbers of 8 bytes: place, doc, seq, until, channel,
   kind, words, hop (whole numbers), then score, covered, centred and the parts. `present` tells, in
   bits, which parts mean something. */
enum { WHOLE_NUMBERS = 8, BEFORE_PARTS = 11 };
typedef struct {
    void *values;
    int64_t shown;
    int32_t words, meaning, present, has_vectors;
} Found;

/* Memory that is let go at once. */
typedef struct Piece {
    struct Piece *next;
    int64_t size; /* and so what follows is aligned */
} Piece;

typedef struct {
    Piece *pieces;
    bool failed;
} Memory;

static inline void *take(Memory *memory, int64_t count, int64_t size) {
    Piece *piece =
        count < INT64_MAX / 64 ? calloc(1, sizeof(Piece) + (size_t)((count + 1) * size)) : NULL;
    if (!piece) {
        memory->failed = true;
        return NULL;
    }
    piece->next = memory->pieces;
    memory->pieces = piece;
    return piece + 1;
}

static inline void let_go(Memory *memory) {
    while (memory->pieces) {
        Piece *next = memory->pieces->next;
        free(memory->pieces);
        memory->pieces = next;
    }
}

/* Zeros, and never none. */
#define TAKE(memory, type, count) ((type *)take(memory, (int64_t)(count), (int64_t)sizeof(type)))

/* Places in some order, which grow. */
typedef struct {
    int32_t *values;
    int64_t count, room;
} Places;

static inline void add_place(Memory *memory, Places *places, int64_t place) {
    if (places->count == places->room) {
        int64_t room = places->room ? 2 * places->room : 256;
        int32_t *grown = TAKE(memory, int32_t, room);
        if (!grown) return;
        if (places->count) memcpy(grown, places->values, (size_t)places->count * sizeof(int32_t));
        places->values = grown, places->room = room;
    }
    places->values[places->count++] = (int32_t)place;
}

/* A set of places, and then the row of each: its number among them, in order. */
typedef struct {
    uint64_t *bits;
    int32_t *before; /* how many are in the words of `bits` before each */
    int64_t length;
} PlaceSet;

static inline bool is_place(int64_t place, int64_t length) { return place >= 0 && place < length; }

static inline void put(PlaceSet *set, int64_t place) {
    set->bits[place >> 6] |= (uint64_t)1 << (place & 63);
}

static inline bool has(const PlaceSet *set, int64_t place) {
    return set->bits[place >> 6] >> (place & 63) & 1;
}

static inline int32_t row_of(const PlaceSet *set, int64_t place) {
    uint64_t lower = set->bits[place >> 6] & (((uint64_t)1 << (place & 63)) - 1);
    return set->before[place >> 6] + __builtin_popcountll(lower);
}

bool make_set(Memory *memory, PlaceSet *set, int64_t length);
void list_places(Memory *memory, PlaceSet *set,
                 Places *found); /* in order; from then on `row_of` works */

/* Rows with what they are sorted by: the highest score, then the latest, then the first. */
typedef struct {
    double score;
    int64_t at, row;
} Ranked;

static inline bool comes_before(Ranked a, Ranked b) {
    if (a.score != b.score) return a.score > b.score;
    return a.at != b.at ? a.at > b.at : a.row < b.row;
}

void sort_ranked(Ranked *rows, int64_t count);
void keep_best(Ranked *rows, int64_t count, int64_t wanted); /* the best come first, in no order */

static inline double rarity(double all, double holding) {
    return log(1 + ((all > holding ? all : holding) - holding + 0.5) / (holding + 0.5));
}

static inline double mean(const double *values, int64_t count) {
    double sum = 0;
    for (int64_t n = 0; n < count; n++) sum += values[n];
    return sum / (double)count;
}

/* Replace values by how many standard deviations each is above the mean. Return the deviation; 0 if
 * all are the same. */
static inline double standardise(double *values, int64_t count) {
    double usual = mean(values, count), squares = 0;
    for (int64_t n = 0; n < count; n++) values[n] -= usual, squares += values[n] * values[n];
    double apart = sqrt(squares / (double)count);
    if (!(apart > FLAT)) apart = 0;
    for (int64_t n = 0; n < count; n++) values[n] = apart > 0 ? values[n] / apart : 0;
    return apart;
}

static inline bool is_told(const Question *asked, uint32_t name) {
    for (int64_t n = 0; n < asked->told_count; n++)
        if (asked->told[n] == name) return true;
    return name == 0; /* which stands for no name */
}

/* words.c: terms, and where they are. A term without runs is in no document. */
typedef struct {
    const Run *runs;
    const float *weights; /* instead of counts, where words spelt like it were joined */
    int64_t run_count, holding;
    double rarity;
} Term;

bool is_there(const Segment *segment, const Run *run, int64_t number);
int find_terms(Memory *memory, const Segment *segment, const Question *asked, Term *terms);

static inline double count_of(const Term *term, const Run *run, int64_t number) {
    return term->weights ? (double)term->weights[number] : run->counts[number];
}

/* select.c: a byte a document, and how many are selected. */
typedef struct {
    const uint8_t *mask;
    int64_t total;
} Selection;

bool select_documents(Memory *memory, const Segment *segment, const Scope *scope,
                      Selection *selected);

/* vectors.c: products with one or two vectors, and the places whose signs agree most with those of
 * one. */
void multiply(const Vectors *vectors, const float *first, const float *second,
              const int32_t *places, int64_t count, double *by_first, double *by_second);
EXPORTED void compare_vectors(const Vectors *vectors, const float *vector, const int32_t *places,
                              int64_t count, double *cosine, double *centred);
EXPORTED int64_t near_places(const Vectors *vectors, const float *vector, int64_t limit,
                             int32_t *found);
void find_near(Memory *memory, const Vectors *vectors, const float *vector, int64_t limit,
               Places *found);

/* candidates.c */
int find_candidates(Memory *memory, const Segment *segment, const Question *asked,
                    const Selection *selected, const Term *terms, PlaceSet *inside);

/* neighbours.c: `beside` are the rows before and after each row; `count` stands for none. */
typedef struct {
    int64_t count;
    PlaceSet set;
    const int32_t *places;
    int32_t *beside[2], *group; /* `group`: a number for each session */
    int64_t groups;
    double usual; /* how long they usually are */
    double *lean; /* how much each takes from its neighbours and gives to them: less for long
                     messages */
} Neighbours;

int find_neighbours(Memory *memory, const Segment *segment, PlaceSet *inside, Neighbours *around);
void spread(const Neighbours *around, const double *values, const int32_t *rows, int64_t count,
            double *shares);

/* evidence.c, second_look.c: the kinds of evidence. */
typedef struct {
    Memory *memory;
    const Segment *segment;
    const Question *asked;
    Neighbours around;
    int64_t count;
    const int32_t *places;
    double *sizes, *words, *has, *covered, *cosine, *centred,
        *above;           /* the last three: NULL without vectors */
    double *parts[PARTS]; /* NULL: no such part */
    double *scores;
    uint32_t *hop; /* NULL: no links; the name that links each to the first hits, 0: none */
    uint8_t *holds, *tells; /* whether it has a term; one that tells something */
} Evidence;

void weigh_meaning(Evidence *evidence);
int weigh_words(Evidence *evidence, const Term *terms);
void weigh_speaker(Evidence *evidence);
void weigh_date(Evidence *evidence);
void weigh_sources(Evidence *evidence);
void weigh_substance(Evidence *evidence);
void look_again(Evidence *evidence);

/* What Python calls. They return DONE, OUT_OF_MEMORY or DAMAGED. */
EXPORTED int find_words(const Segment *segment, const Lookup *lookup, uint8_t *found);
EXPORTED int rank_documents(const Segment *segment, const Question *asked, Found *found);
EXPORTED void free_found(Found *found);
EXPORTED int64_t sizes(void);

#endif
