/* all-MiniLM-L6-v2 with int8 weights, for memctl/embed/kernel.py: token numbers in, unit vectors out.
 *
 * One call maps the weights file, computes, and lets go of it; nothing is kept, so calls may come from anywhere and at once. The file's size
 * is checked, and every offset and token, so that nothing outside it is read. Built without flags for one machine: on x86-64 the instruction
 * set is chosen when called.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the weights are little-endian"
#endif

enum { WIDTH = 384, HIDDEN = 1536, HEADS = 12, LAYERS = 6, WORDS = 30522, CUT = 256, OFFSETS = 7 + 22 * LAYERS };
/* The low-rank path beside the 36 matrices (memctl/embed/slot_reader.py): 16 signed bytes a row down and as many a column up, matrix after
 * matrix, then 16 scales for each. */
enum { RANK = 16, PATH_SQUARE = 2 * WIDTH * RANK, PATH_OBLONG = (WIDTH + HIDDEN) * RANK, PATH_LAYER = 4 * PATH_SQUARE + 2 * PATH_OBLONG };
enum { PATH_SCALES = LAYERS * PATH_LAYER, PATH_SIZE = PATH_SCALES + 4 * RANK * 6 * LAYERS };
enum { OK = 0, NO_FILE = -1, WRONG_SIZE = -2, NO_MEMORY = -3, BAD_ARGUMENT = -4 };

/* Room for the tokens that are worked on together. Rows reach up to a multiple of four. */
typedef struct {
    int room;
    float *x, *y;                    /* [room][WIDTH] */
    float *wide;                     /* [room][HIDDEN]; also query, key and value */
    float *steps;                    /* [room][HIDDEN / WIDTH] */
    float *turned;                   /* [WIDTH / HEADS][CUT] */
    int16_t *whole;                  /* [room][HIDDEN] */
    uint32_t *strip;                 /* [WIDTH / 2][32] pairs of weights */
    const int8_t *path;              /* [PATH_SIZE] the low-rank path, or NULL */
    float *low, *inner;              /* [HIDDEN][RANK] one half of a matrix's path; [room][RANK] */
} work;

/* Where the path of a matrix begins: query, key, value, output, up, down, layer after layer. */
static inline int path_at(int number) {
    int within = number % 6;
    return number / 6 * PATH_LAYER + within * PATH_SQUARE + (within == 5 ? PATH_OBLONG - PATH_SQUARE : 0);
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SET)
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

#if defined(__x86_64__)
#include <immintrin.h>

#define SET vnni
#define TARGET __attribute__((target("avx2,fma,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define LANES 16
#define ROWS 12
#define VEC __m512i
#define ZERO _mm512_setzero_si512()
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define SPLAT(two) _mm512_set1_epi32(two)
/* Not the intrinsic: compilers of its first years copy the sums around it. */
#define MADD(sum, weights, pair) __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(weights), "v"(pair))
#include "kernel_body.h"

#define SET avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define ROWS 4
#define VEC __m256i
#define ZERO _mm256_setzero_si256()
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define SPLAT(two) _mm256_set1_epi32(two)
#define MADD(sum, weights, pair) sum = _mm256_add_epi32(sum, _mm256_madd_epi16(weights, pair))
#include "kernel_body.h"

#define SET sse2
#define TARGET
#define LANES 4
#define ROWS 4
#define VEC __m128i
#define ZERO _mm_setzero_si128()
#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define STORE(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define SPLAT(two) _mm_set1_epi32(two)
#define MADD(sum, weights, pair) sum = _mm_add_epi32(sum, _mm_madd_epi16(weights, pair))
#include "kernel_body.h"
#endif

/* Any other machine: a lane's two 16-bit numbers are taken apart by shifts, which compilers know to do for several lanes at once. */
typedef int32_t lanes __attribute__((vector_size(16)));

static inline lanes load(const void *from) {
    lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

#define SET plain
#define TARGET
#define LANES 4
#define ROWS 4
#define VEC lanes
#define ZERO (lanes){0}
#define LOAD(p) load(p)
#define STORE(p, v) memcpy(p, &(v), sizeof(lanes))
#define SPLAT(two) (lanes){two, two, two, two}
#define MADD(sum, weights, pair) sum = ((sum) + ((weights) << 16 >> 16) * ((pair) << 16 >> 16) + ((weights) >> 16) * ((pair) >> 16))
#include "kernel_body.h"

typedef void forward(work *, const uint8_t *, const int64_t *, const int32_t *, const int32_t *, int, float *);

/* The mathematics for set 0 (any machine), 1 (SSE2), 2 (AVX2), 3 (AVX-512 with VNNI), or the best there is (-1); NULL if it cannot run here. */
static forward *choose(int set) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    int vnni = __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
               && __builtin_cpu_supports("avx512dq");
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if ((set == 3 || set < 0) && vnni) return forward_vnni;
    if ((set == 2 || set < 0) && avx2) return forward_avx2;
    if (set == 1 || set < 0) return forward_sse2;
#endif
    return set <= 0 ? forward_plain : NULL;
}

static void *room_for(size_t bytes) {
    void *found = NULL;
    return posix_memalign(&found, 64, bytes) == 0 ? found : NULL;
}

/* Work through the texts, as many at once as fit. */
static int run(forward *run_set, const uint8_t *file, const int64_t *at, const int8_t *path, const int32_t *tokens, const int32_t *lengths,
               int texts, float *out) {
    int all = 0;
    for (int text = 0; text < texts; text++) all += lengths[text] < CUT - all ? lengths[text] : CUT - all;
    size_t n = ((size_t)all + 3) & ~(size_t)3;
    size_t floats = n * (2 * WIDTH + HIDDEN + HIDDEN / WIDTH) + WIDTH / HEADS * CUT + (path ? (HIDDEN + n) * RANK : 0);
    uint8_t *room = room_for(4 * floats + 2 * n * HIDDEN + 4 * WIDTH / 2 * 32);
    if (!room) return NO_MEMORY;
    memset(room, 0, 4 * floats + 2 * n * HIDDEN);
    work w = {.room = (int)n, .strip = (uint32_t *)room, .path = path};
    w.whole = (int16_t *)(w.strip + WIDTH / 2 * 32);
    w.x = (float *)(w.whole + n * HIDDEN);
    w.y = w.x + n * WIDTH;
    w.wide = w.y + n * WIDTH;
    w.steps = w.wide + n * HIDDEN;
    w.turned = w.steps + n * (HIDDEN / WIDTH);
    w.low = w.turned + WIDTH / HEADS * CUT;
    w.inner = w.low + HIDDEN * RANK;
    for (int from = 0, to; from < texts; from = to) {
        int sum = 0;
        for (to = from; to < texts && sum + lengths[to] <= all; to++) sum += lengths[to];
        run_set(&w, file, at, tokens, lengths + from, to - from, out + (size_t)from * WIDTH);
        tokens += sum;
    }
    free(room);
    return OK;
}

/* How many bytes the tensor at each offset takes. */
static int64_t span(int i) {
    enum { ROW = 4 * WIDTH, LONG = 4 * HIDDEN, SQUARE = WIDTH * WIDTH, OBLONG = WIDTH * HIDDEN };
    static const int first[7] = {WORDS * WIDTH, 4 * WORDS, CUT * WIDTH, 4 * CUT, ROW, ROW, ROW};
    static const int layer[22] = {SQUARE, ROW, ROW, SQUARE, ROW, ROW, SQUARE, ROW, ROW, SQUARE, ROW, ROW, ROW, ROW,
                                  OBLONG, LONG, LONG, OBLONG, ROW, ROW, ROW, ROW};
    return i < 7 ? first[i] : layer[(i - 7) % 22];
}

static int fits(int64_t size, const int64_t *at, const int32_t *tokens, const int32_t *lengths, int texts) {
    for (int i = 0; i < OFFSETS; i++)
        if (at[i] < 0 || at[i] > size - span(i)) return 0;
    for (int text = 0; text < texts; tokens += lengths[text++]) {
        if (lengths[text] < 1 || lengths[text] > CUT) return 0;
        for (int t = 0; t < lengths[text]; t++)
            if (tokens[t] < 0 || tokens[t] >= WORDS) return 0;
    }
    return texts >= 0;
}

/* Embed `texts` texts: their token numbers one after another, how many each has (1 to 256), and room for 384 numbers each; `path` is the
 * low-rank path, or NULL. */
int memctl_minilm_beside(const char *weights, int64_t size, const int64_t *at, const int8_t *path, int64_t path_size, const int32_t *tokens,
                         const int32_t *lengths, int texts, float *out, int set) {
    forward *run_set = choose(set);
    if (!run_set || (path && path_size != PATH_SIZE) || !fits(size, at, tokens, lengths, texts)) return BAD_ARGUMENT;
    int descriptor = open(weights, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return NO_FILE;
    struct stat found;
    int known = fstat(descriptor, &found) == 0 && found.st_size == size;
    void *file = known ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    close(descriptor);
    if (file == MAP_FAILED) return known ? NO_MEMORY : WRONG_SIZE;
#ifdef MADV_POPULATE_READ
    /* All layers are read in any case: one call for their pages instead of a fault for every few. */
    size_t layers = (size_t)at[7] & ~(size_t)16383;
    madvise((char *)file + layers, (size_t)size - layers, MADV_POPULATE_READ);
#endif
    int result = run(run_set, file, at, path, tokens, lengths, texts, out);
    munmap(file, (size_t)size);
    return result;
}

/* The same without a low-rank path. */
int memctl_minilm(const char *weights, int64_t size, const int64_t *at, const int32_t *tokens, const int32_t *lengths, int texts, float *out,
                  int set) {
    return memctl_minilm_beside(weights, size, at, NULL, 0, tokens, lengths, texts, out, set);
}
