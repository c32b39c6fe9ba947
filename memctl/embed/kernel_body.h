/* The model's mathematics, included by kernel.c once for each instruction set, with SET and these macros defined:
 *   FN(name)  the name with the set's suffix       TARGET   the function attribute that allows the set's instructions
 *   VEC       a vector of LANES 32-bit integers    ROWS     how many tokens are multiplied at once (4, or 12)
 *   LOAD(p), SPLAT(pair), ZERO, STORE(p, v)        MADD(sum, weights, pair)   sum += both products of each lane's two 16-bit numbers
 *
 * Activations are rounded to 16 bits for each token and each 384 of its numbers, and multiplied with the int8 weights in whole numbers: sums
 * are exact (384 * 127 * 32767 < 2^31), so a text's vector depends neither on its company nor on the order of additions.
 */

/* Sixteen sums side by side, because the compiler may not reorder one. */
TARGET static float FN(sum)(const float *x, float minus, int squares) {
    float part[16] = {0}, all = 0;
    for (int i = 0; i < WIDTH; i += 16)
        for (int j = 0; j < 16; j++) {
            float v = x[i + j] - minus;
            part[j] += squares ? v * v : v;
        }
    for (int j = 0; j < 16; j++) all += part[j];
    return all;
}

/* e^x for x <= 0: two to the whole part, times a polynomial (Taylor, relative error below 1e-7) of what remains. */
TARGET static inline float FN(exponential)(float x) {
    x = x < -87.0f ? -87.0f : x;
    float whole = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
    float r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
    float p = 1.0f + r * (1.0f + r * (0.5f + r * (1 / 6.0f + r * (1 / 24.0f + r * (1 / 120.0f + r * (1 / 720.0f))))));
    int32_t bits = ((int32_t)whole + 127) << 23;
    float power;
    memcpy(&power, &bits, 4);
    return p * power;
}

/* x times the normal distribution's share below x, in place; erf by Abramowitz and Stegun 7.1.26, off by 1.5e-7 at most. */
TARGET static void FN(gelu)(float *x, int count) {
    for (int i = 0; i < count; i++) {
        float v = x[i], z = (v < 0 ? -v : v) * 0.70710678f, t = 1.0f / (1.0f + 0.3275911f * z);
        float tail = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t
                     * FN(exponential)(-z * z);
        x[i] = 0.5f * v * (v < 0 ? tail : 2.0f - tail);
    }
}

/* x = norm(x + y) * weight + bias for each token; y may be NULL. */
TARGET static void FN(norm)(float *x, const float *y, int tokens, const uint8_t *weight, const uint8_t *bias) {
    float w[WIDTH], b[WIDTH];
    memcpy(w, weight, sizeof w);
    memcpy(b, bias, sizeof b);
    for (int t = 0; t < tokens; t++, x += WIDTH) {
        if (y)
            for (int i = 0; i < WIDTH; i++) x[i] += y[t * WIDTH + i];
        float mean = FN(sum)(x, 0, 0) / WIDTH;
        float scale = 1.0f / sqrtf(FN(sum)(x, mean, 1) / WIDTH + 1e-12f);
        for (int i = 0; i < WIDTH; i++) x[i] = (x[i] - mean) * scale * w[i] + b[i];
    }
}

/* Round each 384 numbers of x to 16 bits; steps[block] is what one of them stands for. */
TARGET static void FN(round)(const float *x, int blocks, int16_t *whole, float *steps) {
    for (int block = 0; block < blocks; block++, x += WIDTH, whole += WIDTH) {
        float part[16] = {0}, most = 1e-30f;
        for (int i = 0; i < WIDTH; i += 16)
            for (int j = 0; j < 16; j++) {
                float v = x[i + j] < 0 ? -x[i + j] : x[i + j];
                part[j] = v > part[j] ? v : part[j];
            }
        for (int j = 0; j < 16; j++) most = part[j] > most ? part[j] : most;
        float by = 32766.0f / most;
        steps[block] = most / 32766.0f;
        for (int i = 0; i < WIDTH; i++) whole[i] = (int16_t)(int32_t)(x[i] * by + (x[i] < 0 ? -0.5f : 0.5f));
    }
}

/* Unpack 384 rows of weights, each `stride` after the one before, to pairs of rows: a strip as wide as two vectors. */
TARGET static void FN(unpack)(const int8_t *restrict weights, int stride, uint32_t *restrict strip) {
    for (int row = 0; row < WIDTH; row += 2, weights += 2 * stride, strip += 2 * LANES)
        for (int i = 0; i < 2 * LANES; i++) strip[i] = ((uint32_t)(int32_t)weights[i] & 0xffffu) | (uint32_t)(int32_t)weights[i + stride] << 16;
}

/* sums = x * strip for some tokens and the strip's columns. Each sum has a name, and each number of tokens is a function of its own that does
 * nothing else, so that all sums stay in registers. */
#define BEGIN(t) VEC left##t = ZERO, right##t = ZERO;
#define STEP(t)                                              \
    if (t < rows) {                                          \
        int32_t two;                                         \
        memcpy(&two, x + t * stride + 2 * pair, 4);          \
        VEC both = SPLAT(two);                               \
        MADD(left##t, left, both);                           \
        MADD(right##t, right, both);                         \
    }
#define END(t)                                               \
    if (t < rows) {                                          \
        STORE(sums + t * 2 * LANES, left##t);                \
        STORE(sums + t * 2 * LANES + LANES, right##t);       \
    }
TARGET static inline __attribute__((always_inline)) void FN(rows)(const int rows, const int16_t *x, int stride, const uint32_t *strip,
                                                                int32_t *sums) {
    EACH(BEGIN)
    for (int pair = 0; pair < WIDTH / 2; pair++, strip += 2 * LANES) {
        VEC left = LOAD(strip), right = LOAD(strip + LANES);
        EACH(STEP)
    }
    EACH(END)
}
#undef BEGIN
#undef STEP
#undef END

#define OF_ROWS(count)                                                                                                                \
    TARGET static __attribute__((noinline)) void FN(rows_##count)(const int16_t *x, int stride, const uint32_t *strip, int32_t *sums) { \
        FN(rows)(count, x, stride, strip, sums);                                                                                      \
    }
OF_ROWS(4)
#if ROWS == 12
OF_ROWS(8)
OF_ROWS(12)
#endif
#undef OF_ROWS

/* The products of one strip for all tokens, added to y. */
TARGET static void FN(strip)(const int16_t *x, int stride, const float *steps, int blocks, const uint32_t *strip, int tokens, float *y,
                             int out) {
    int32_t sums[ROWS * 2 * LANES];
    for (int t = 0, rows; t < tokens; t += rows, x += rows * stride) {
        rows = tokens - t >= ROWS ? ROWS : tokens - t >= 8 && ROWS > 8 ? 8 : 4;
#if ROWS == 12
        if (rows == 12) FN(rows_12)(x, stride, strip, sums);
        else if (rows == 8) FN(rows_8)(x, stride, strip, sums);
        else
#endif
            FN(rows_4)(x, stride, strip, sums);
        for (int row = t; row < t + rows; row++)
            for (int i = 0; i < 2 * LANES; i++) y[(size_t)row * out + i] += steps[row * blocks] * (float)sums[(row - t) * 2 * LANES + i];
    }
}

/* y += x * down * up for one matrix of the low-rank path, if there is one; x is rounded already. */
TARGET static void FN(low_rank)(const work *w, int number, int tokens, int in, int out, float *y) {
    if (!w->path) return;
    const int8_t *down = w->path + path_at(number), *up = down + in * RANK;
    float scale[RANK];
    memcpy(scale, w->path + PATH_SCALES + 4 * RANK * number, sizeof scale);
    for (int i = 0; i < in * RANK; i++) w->low[i] = (float)down[i];
    int blocks = in / WIDTH;
    for (int t = 0; t < tokens; t++) {
        float sum[RANK] = {0};
        for (int block = 0; block < blocks; block++) {
            const int16_t *whole = w->whole + t * in + block * WIDTH;
            const float *low = w->low + block * WIDTH * RANK;
            for (int i = 0; i < WIDTH; i++) {
                float v = w->steps[t * blocks + block] * (float)whole[i];
                for (int r = 0; r < RANK; r++) sum[r] += v * low[i * RANK + r];
            }
        }
        for (int r = 0; r < RANK; r++) w->inner[t * RANK + r] = sum[r] * scale[r];
    }
    for (int i = 0; i < RANK * out; i++) w->low[i] = (float)up[i];
    for (int t = 0; t < tokens; t++, y += out)
        for (int r = 0; r < RANK; r++)
            for (int i = 0; i < out; i++) y[i] += w->inner[t * RANK + r] * w->low[r * out + i];
}

/* y = x * matrix + bias, and the low-rank path beside it; x is rounded already, `number` counts the matrices. The rows of whole, steps and y reach up to the next multiple of four tokens. */
TARGET static void FN(dense)(const work *w, const uint8_t *file, const int64_t *at, int number, int tokens, int in, int out, float *y) {
    float scale[HIDDEN], bias[HIDDEN];
    memcpy(scale, file + at[1], 4 * (size_t)out);
    memcpy(bias, file + at[2], 4 * (size_t)out);
    int all = (tokens + 3) & ~3, blocks = in / WIDTH;
    memset(y, 0, 4 * (size_t)all * (size_t)out);
    for (int column = 0; column < out; column += 2 * LANES)
        for (int block = 0; block < blocks; block++) {
            const int8_t *weights = (const int8_t *)file + at[0] + (int64_t)block * WIDTH * out + column;
            FN(unpack)(weights, out, w->strip);
            FN(strip)(w->whole + block * WIDTH, in, w->steps + block, blocks, w->strip, all, y + column, out);
        }
    for (int t = 0; t < tokens; t++, y += out)
        for (int i = 0; i < out; i++) y[i] = y[i] * scale[i] + bias[i];
    FN(low_rank)(w, number, tokens, in, out, y - (size_t)tokens * (size_t)out);
}

/* What each token of one text takes from the others, head by head, into `out`. */
TARGET static void FN(attend)(work *w, const float *query, const float *key, const float *value, int tokens, float *out) {
    enum { HEAD = WIDTH / HEADS };
    for (int head = 0; head < WIDTH; head += HEAD) {
        for (int t = 0; t < tokens; t++)
            for (int i = 0; i < HEAD; i++) w->turned[i * CUT + t] = key[t * WIDTH + head + i];
        for (int t = 0; t < tokens; t++) {
            float score[CUT] = {0}, sum[HEAD] = {0}, most = -1e30f, all = 0;
            for (int i = 0; i < HEAD; i++)
                for (int other = 0; other < tokens; other++) score[other] += query[t * WIDTH + head + i] * w->turned[i * CUT + other];
            for (int other = 0; other < tokens; other++) most = score[other] > most ? score[other] : most;
            for (int other = 0; other < tokens; other++) score[other] = FN(exponential)((score[other] - most) * 0.17677670f);
            for (int other = 0; other < tokens; other++) {
                all += score[other];
                for (int i = 0; i < HEAD; i++) sum[i] += score[other] * value[other * WIDTH + head + i];
            }
            for (int i = 0; i < HEAD; i++) out[t * WIDTH + head + i] = sum[i] / all;
        }
    }
}

/* Words, positions and segment of one text's tokens. */
TARGET static void FN(lookup)(const uint8_t *file, const int64_t *at, const int32_t *tokens, int count, float *x) {
    for (int t = 0; t < count; t++, x += WIDTH) {
        const int8_t *word = (const int8_t *)file + at[0] + (int64_t)tokens[t] * WIDTH, *place = (const int8_t *)file + at[2] + t * WIDTH;
        float word_scale, place_scale;
        memcpy(&word_scale, file + at[1] + 4 * (int64_t)tokens[t], 4);
        memcpy(&place_scale, file + at[3] + 4 * t, 4);
        memcpy(x, file + at[4], 4 * WIDTH);
        for (int i = 0; i < WIDTH; i++) x[i] += word_scale * (float)word[i] + place_scale * (float)place[i];
    }
}

/* The mean of one text's tokens, brought to length one. */
TARGET static void FN(pool)(const float *x, int count, float *out) {
    float mean[WIDTH] = {0};
    for (int t = 0; t < count; t++)
        for (int i = 0; i < WIDTH; i++) mean[i] += x[t * WIDTH + i];
    float length = sqrtf(FN(sum)(mean, 0, 1));
    for (int i = 0; i < WIDTH; i++) out[i] = mean[i] / length;
}

/* One unit vector for each of the texts, whose tokens stand one after another. */
TARGET static void FN(forward)(work *w, const uint8_t *file, const int64_t *at, const int32_t *tokens, const int32_t *lengths, int texts,
                               float *out) {
    int all = 0;
    for (int text = 0; text < texts; all += lengths[text++]) FN(lookup)(file, at, tokens + all, lengths[text], w->x + all * WIDTH);
    FN(norm)(w->x, NULL, all, file + at[5], file + at[6]);
    for (int layer = 0; layer < LAYERS; layer++) {
        const int64_t *here = at + 7 + 22 * layer;
        float *query = w->wide, *key = query + w->room * WIDTH, *value = key + w->room * WIDTH;
        for (int t = 0; t < all; t++) FN(round)(w->x + t * WIDTH, 1, w->whole + t * WIDTH, w->steps + t);
        FN(dense)(w, file, here, 6 * layer, all, WIDTH, WIDTH, query);
        FN(dense)(w, file, here + 3, 6 * layer + 1, all, WIDTH, WIDTH, key);
        FN(dense)(w, file, here + 6, 6 * layer + 2, all, WIDTH, WIDTH, value);
        for (int text = 0, t = 0; text < texts; t += lengths[text++])
            FN(attend)(w, query + t * WIDTH, key + t * WIDTH, value + t * WIDTH, lengths[text], w->y + t * WIDTH);
        for (int t = 0; t < all; t++) FN(round)(w->y + t * WIDTH, 1, w->whole + t * WIDTH, w->steps + t);
        FN(dense)(w, file, here + 9, 6 * layer + 3, all, WIDTH, WIDTH, w->y);
        FN(norm)(w->x, w->y, all, file + here[12], file + here[13]);
        for (int t = 0; t < all; t++) FN(round)(w->x + t * WIDTH, 1, w->whole + t * WIDTH, w->steps + t);
        FN(dense)(w, file, here + 14, 6 * layer + 4, all, WIDTH, HIDDEN, w->wide);
        FN(gelu)(w->wide, all * HIDDEN);
        for (int t = 0; t < all; t++) FN(round)(w->wide + t * HIDDEN, HIDDEN / WIDTH, w->whole + t * HIDDEN, w->steps + t * HIDDEN / WIDTH);
        FN(dense)(w, file, here + 17, 6 * layer + 5, all, HIDDEN, WIDTH, w->y);
        FN(norm)(w->x, w->y, all, file + here[20], file + here[21]);
    }
    for (int text = 0, t = 0; text < texts; t += lengths[text++]) FN(pool)(w->x + t * WIDTH, lengths[text], out + text * WIDTH);
}

#undef SET
#undef TARGET
#undef LANES
#undef ROWS
#undef VEC
#undef ZERO
#undef LOAD
#undef STORE
#undef SPLAT
#undef MADD
