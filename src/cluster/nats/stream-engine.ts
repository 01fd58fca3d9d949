import { encode } from '../../protocol/codec.ts'
import { hashOf, readControl, readRecord } from '../node/encoded.ts'
import type { Engine, EngineEffect, Written } from '../node/engine.ts'
import type { ControlEntry, EngineAnswer, Tail } from '../protocol/effects.ts'
import { EngineError } from './engine-error.ts'
import type { JournalLog } from './journal-log.ts'
import type { Kv, KvEntry } from './kv.ts'

/** What of the journals and the control keys an engine stands on; a test may put something else below. */
export type Journals = Pick<JournalLog, 'append' | 'tail'>
export type ControlKeys = Pick<Kv, 'standing' | 'update'>

/** What stands there is no record that this version reads. */
class Unreadable extends Error {}

/** The effects of the protocol on two kinds of streams. */
export class StreamEngine implements Engine {
  readonly #journals: Journals
  readonly #control: ControlKeys
  readonly #onFailure: (error: unknown, effect: EngineEffect) => void

  /** `onFailure` is told each failed call, for the log: conflicts are everyday, a full journal is none. */
  constructor(
    { journals, control }: { journals: Journals; control: ControlKeys },
    onFailure: (error: unknown, effect: EngineEffect) => void,
  ) {
    this.#journals = journals
    this.#control = control
    this.#onFailure = onFailure
  }

  async perform(effect: EngineEffect): Promise<EngineAnswer> {
    const late = Promise.withResolvers<never>()
    // The servers are given the same time; this is for what stands between.
    const timer = setTimeout(
      () => late.reject(new EngineError('ambiguous', 'late')),
      effect.timeoutMs,
    )
    try {
      return await Promise.race([this.#do(effect), late.promise])
    } catch (error) {
      this.#onFailure(error, effect)
      return { is: 'failed', call: effect.call, why: whyOf(error) }
    } finally {
      clearTimeout(timer)
    }
  }

  async #do(effect: EngineEffect): Promise<EngineAnswer> {
    const { call, timeoutMs } = effect
    switch (effect.do) {
      case 'append': {
        const bytes = encode(effect.record)
        const to = { expectedSeq: effect.expectedSeq, timeoutMs }
        const seq = await this.#journals.append(effect.acct, bytes, to)
        return { is: 'appended', call, seq, hash: hashOf(bytes) }
      }
      case 'readTail':
        return { is: 'tail', call, tail: asTail(await this.#journals.tail(effect.acct, timeoutMs)) }
      case 'kvReadLeader': {
        const { entry, revision } = await this.#control.standing(effect.key, timeoutMs)
        return { is: 'entry', call, entry: asControlEntry(effect.key, entry), revision }
      }
      case 'kvUpdate': {
        const from = { revision: effect.revision, timeoutMs }
        const revision = await this.#control.update(effect.key, encode(effect.value), from)
        return { is: 'written', call, revision }
      }
    }
  }
}

function whyOf(error: unknown): 'conflict' | 'ambiguous' | 'unavailable' | 'unreadable' {
  if (error instanceof Unreadable) return 'unreadable'
  if (!(error instanceof EngineError)) return 'ambiguous'
  return error.failure === 'full' ? 'unavailable' : error.failure
}

/** Errors  Unreadable. */
function asTail(written: Written | undefined): Tail | undefined {
  if (written === undefined) return undefined
  const record = readRecord(written.bytes)
  if (record === undefined) throw new Unreadable(`record ${written.seq}`)
  return { seq: written.seq, hash: hashOf(written.bytes), record }
}

function asControlEntry(key: string, entry: KvEntry | undefined): ControlEntry | undefined {
  if (entry === undefined) return undefined
  const value = readControl(key, entry.bytes)
  if (value === undefined) throw new Unreadable(key)
  return { value, revision: entry.revision }
}
