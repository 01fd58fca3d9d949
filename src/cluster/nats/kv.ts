import { CODES, EngineError } from './engine-error.ts'
import type { Line } from './line.ts'
import { appendIf, readStored, type Stored } from './stream-wire.ts'

export interface KvEntry {
  readonly bytes: Uint8Array
  /** Sequence of the stream of the bucket: grows with every write to any key. */
  readonly revision: number
}

/** What stands under a key. */
export interface KvStanding {
  /** Undefined when the key is not there, or was removed. */
  readonly entry: KvEntry | undefined
  /** Of the entry or the removal; 0: nothing ever stood there, or a whole subject was purged. */
  readonly revision: number
}

/** What stands in front of a key in the subjects of a bucket. */
export const keyPrefix = (bucket: string): string => `$KV.${bucket}.`
export const bucketStream = (bucket: string): string => `KV_${bucket}`
/** Named by tools when somebody deletes a key by hand. */
const OPERATION = /^KV-Operation: ?(DEL|PURGE)\s*$/m

/** Says the same, and that nothing before it is kept. */
const REMOVAL = { 'KV-Operation': 'PURGE', 'Nats-Rollup': 'sub' } as const

/** Whether these headers, undecoded, say that a key was removed. */
export const isRemoval = (headers: string): boolean => OPERATION.test(headers)

/** The last values of a bucket. Read from the leader of its stream, never by a direct get. */
export class Kv {
  readonly #line: Line
  readonly #bucket: string

  constructor(line: Line, bucket: string) {
    this.#line = line
    this.#bucket = bucket
  }

  /** Undefined when the key is not there, or was removed. Errors  EngineError. */
  async read(key: string, timeoutMs: number): Promise<KvEntry | undefined> {
    return (await this.standing(key, timeoutMs)).entry
  }

  /** The same with the revision of a removal, which a write over it has to name. Errors  EngineError. */
  async standing(key: string, timeoutMs: number): Promise<KvStanding> {
    const stored = await this.#stored(key, timeoutMs)
    if (stored === undefined) return { entry: undefined, revision: 0 }
    const { bytes, seq: revision, headers } = stored
    return { entry: isRemoval(headers) ? undefined : { bytes, revision }, revision }
  }

  /** Writes a key that is not there, or was removed. Errors  EngineError. */
  async create(key: string, bytes: Uint8Array, timeoutMs: number): Promise<number> {
    const endMs = performance.now() + timeoutMs
    const restMs = () => Math.max(1, Math.floor(endMs - performance.now()))
    try {
      return await this.update(key, bytes, { revision: 0, timeoutMs })
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== CODES.wrongLastSequence) throw error
      const stored = await this.#stored(key, restMs())
      if (stored === undefined || !isRemoval(stored.headers)) throw error
      return this.update(key, bytes, { revision: stored.seq, timeoutMs: restMs() })
    }
  }

  /** Writes if the revision of the key, or of its removal, is this one (0: it was never there). Errors  EngineError. */
  update(
    key: string,
    bytes: Uint8Array,
    { revision, timeoutMs }: { revision: number; timeoutMs: number },
  ): Promise<number> {
    const to = { subject: keyPrefix(this.#bucket) + key, expectedSeq: revision }
    return appendIf(this.#line, to, bytes, timeoutMs)
  }

  /** Removes a key and what it takes up, if its revision is this one. Errors  EngineError. */
  async remove(
    key: string,
    { revision, timeoutMs }: { revision: number; timeoutMs: number },
  ): Promise<void> {
    const subject = keyPrefix(this.#bucket) + key
    const to = { subject, expectedSeq: revision, headers: REMOVAL }
    await appendIf(this.#line, to, new Uint8Array(0), timeoutMs)
  }

  #stored(key: string, timeoutMs: number): Promise<Stored | undefined> {
    const query = { last_by_subj: keyPrefix(this.#bucket) + key }
    return readStored(this.#line, bucketStream(this.#bucket), query, timeoutMs)
  }
}
