import { closeSync, fdatasyncSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'

/**
 * One file of a log: preallocated, so that a write over it changes no metadata and `fdatasync` waits for
 * its bytes alone.
 */
export class Segment {
  readonly #file: number
  readonly #bytes: number
  #tail = 0

  /** `path` is one that {@link preallocate} has made. */
  constructor(path: string, bytes: number) {
    this.#file = openSync(path, 'r+')
    this.#bytes = bytes
  }

  /** Bytes behind the last append. */
  get free(): number {
    return this.#bytes - this.#tail
  }

  /** On disk when it returns. Errors  of the system; nothing may be appended to this log any more. */
  append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#tail + done)
    }
    fdatasyncSync(this.#file)
    this.#tail += bytes.length
  }

  /** The next append begins at the start: nothing in it is needed any more. */
  rewind(): void {
    this.#tail = 0
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** Makes a file of zeros, on disk when it returns. Errors  of the system, such as a full disk. */
export const preallocate = (path: string, bytes: number): void =>
  writeFileSync(path, Buffer.alloc(bytes), { flag: 'wx', mode: 0o600, flush: true })

/** The bytes of a segment, whoever writes it. */
export const readSegment = (path: string): Buffer => readFileSync(path)
