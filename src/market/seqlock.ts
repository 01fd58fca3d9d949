/**
 * A sequence lock: one writer, any number of readers, nobody waits for a reader. The sequence number
 * is odd while a write is under way; a reader that meets one, or finds another number afterwards,
 * reads again.
 *
 * The writer raises it and the reader confirms it with read-modify-write operations: unlike plain
 * atomic loads and stores they also keep the data accesses between them in place on ARM.
 */
export const beginWrite = (words: Int32Array, index: number): void => {
  Atomics.add(words, index, 1)
}

export const endWrite = (words: Int32Array, index: number): void => {
  Atomics.add(words, index, 1)
}

/** Waits, spinning, while a write is under way: that is some 100 ns. */
export const beginRead = (words: Int32Array, index: number): number => {
  for (;;) {
    const sequence = Atomics.load(words, index)
    if ((sequence & 1) === 0) return sequence
  }
}

/** True when what was read since {@link beginRead} may mix two writes. */
export const isTorn = (words: Int32Array, index: number, sequence: number): boolean =>
  Atomics.compareExchange(words, index, sequence, sequence) !== sequence
