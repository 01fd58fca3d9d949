/** Bytes of the length in front of every frame (unsigned, big endian). */
const HEADER_BYTES = 4

/** The frame with its length in front. An empty one is a sign of life. */
export function frame(bytes: Uint8Array): Uint8Array {
  const framed = new Uint8Array(HEADER_BYTES + bytes.length)
  new DataView(framed.buffer).setUint32(0, bytes.length)
  framed.set(bytes, HEADER_BYTES)
  return framed
}

/** Cuts a stream of bytes, in pieces of any size, back into frames. */
export class FrameReader {
  readonly #bytesMax: number
  #pieces: Uint8Array[] = []
  #bytes = 0
  /** Length of the frame that is arriving; undefined while its header is. */
  #length: number | undefined

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
  }

  /** The next whole frame, if it has arrived. Throws when a frame is announced longer than allowed. */
  next(): Uint8Array | undefined {
    if (this.#length === undefined) {
      const header = this.#take(HEADER_BYTES)
      if (header === undefined) return undefined
      const length = header.readUInt32BE(0)
      if (length > this.#bytesMax) {
        throw new RangeError(`a frame of ${length} bytes; at most ${this.#bytesMax} are taken`)
      }
      this.#length = length
    }
    const bytes = this.#take(this.#length)
    if (bytes !== undefined) this.#length = undefined
    return bytes
  }

  /** Joins pieces only once enough have arrived, so that a long frame is copied once. */
  #take(count: number): Buffer | undefined {
    if (this.#bytes < count) return undefined
    const [only] = this.#pieces
    const joined =
      this.#pieces.length === 1 && only !== undefined
        ? Buffer.from(only.buffer, only.byteOffset, only.length)
        : Buffer.concat(this.#pieces)
    this.#bytes -= count
    this.#pieces = this.#bytes > 0 ? [joined.subarray(count)] : []
    return joined.subarray(0, count)
  }
}
