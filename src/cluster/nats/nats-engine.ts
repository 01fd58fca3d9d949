import { randomUUID } from 'node:crypto'
import { encode } from '../../protocol/codec.ts'
import { hashOf, readRecord } from '../node/encoded.ts'
import type {
  CallOutcome,
  CallServer,
  ClusterEngine,
  ControlWatch,
  ControlWatcher,
  EngineEffect,
  EngineSnapshot,
  NodeCall,
  SnapshotName,
  SurveyCall,
} from '../node/engine.ts'
import { BrokenChain } from '../node/fenced-log.ts'
import type { EngineAnswer } from '../protocol/effects.ts'
import type { JournalRecord } from '../protocol/records.ts'
import {
  CONTROL_BUCKET,
  IDENTITY_KEY,
  inboxPrefix,
  parseControlKey,
  registrationKey,
  SNAPSHOT_BUCKET,
} from '../protocol/subjects.ts'
import { CallError, type CallLimits, Calls } from './calls.ts'
import type { ConnectionSettings, ConnectionState } from './connect.ts'
import { watchControl } from './control-watch.ts'
import { JournalLog } from './journal-log.ts'
import { type JournalReaderLimits, readAhead } from './journal-reader.ts'
import { Kv, type KvEntry, type KvStanding } from './kv.ts'
import type { KvWatchLimits } from './kv-watch.ts'
import { Line, type LineLimits } from './line.ts'
import { followNews } from './news.ts'
import { noteIn, partKey, readSnapshot, type SnapshotNote } from './snapshots.ts'
import { StreamEngine } from './stream-engine.ts'
import { type AnswerSurvey, type SurveyLimits, Surveys } from './surveys.ts'

export interface NatsEngineLimits {
  readonly line: LineLimits
  readonly watch: KvWatchLimits
  readonly calls: CallLimits
  readonly surveys: SurveyLimits
  readonly reader: JournalReaderLimits
  /** Of one question to the servers. ms */
  readonly callTimeoutMs: number
}

export interface NatsEngineOptions {
  readonly node: string
  /** Of each connection; its name is lengthened by what it is for. */
  readonly settings: ConnectionSettings
  readonly limits: NatsEngineLimits
  readonly onState: (state: ConnectionState) => void
  /** Of a call by which this node writes, for the log. */
  readonly onFailure: (error: unknown) => void
}

/** The protocol's engine on NATS JetStream: journals and control on one connection, calls between nodes on another. */
export class NatsEngine implements ClusterEngine {
  readonly #control: Line
  readonly #commands: Line
  readonly #limits: NatsEngineLimits
  readonly #node: string
  readonly #onFailure: NatsEngineOptions['onFailure']
  readonly #streams: StreamEngine
  readonly #keys: Kv
  readonly #snap: Kv
  readonly #log: JournalLog
  readonly #calls: Calls
  readonly #surveys: Surveys
  readonly #stops: (() => void)[] = []

  private constructor(options: NatsEngineOptions, control: Line, commands: Line) {
    const { node, limits } = options
    this.#node = node
    this.#limits = limits
    this.#onFailure = options.onFailure
    this.#control = control
    this.#commands = commands
    this.#snap = new Kv(control, SNAPSHOT_BUCKET)
    this.#log = new JournalLog(control, { callTimeoutMs: limits.callTimeoutMs })
    this.#keys = new Kv(control, CONTROL_BUCKET)
    const streams = { journals: this.#log, control: this.#keys }
    this.#streams = new StreamEngine(streams, options.onFailure)
    this.#calls = new Calls(commands, limits.calls)
    this.#surveys = new Surveys(commands, node, limits.surveys)
  }

  /** Errors  ConnectionError. */
  static async open(options: NatsEngineOptions): Promise<NatsEngine> {
    const { settings, limits, onState } = options
    const open = (purpose: string) =>
      Line.open({ ...settings, name: `${settings.name}-${purpose}` }, limits.line, onState)
    const control = await open('journal')
    try {
      return new NatsEngine(options, control, await open('commands'))
    } catch (error) {
      await control.close()
      throw error
    }
  }

  perform(effect: EngineEffect): Promise<EngineAnswer> {
    return this.#streams.perform(effect)
  }

  watch(watcher: ControlWatcher): ControlWatch {
    const { onNode, onPlacement, onPlacementRemoved, onRegistrations } = watcher
    const registrations = new Map<string, Uint8Array>()
    const removed = new Set<string>()
    const tell = () => onRegistrations(new Map(registrations), new Set(removed))
    let isCurrent = false
    const onOther = (key: string, entry: KvEntry | undefined) => {
      const about = parseControlKey(key)
      if (about?.kind !== 'registration') return
      const { acct } = about
      if (entry === undefined) {
        registrations.delete(acct)
        removed.add(acct)
      } else {
        registrations.set(acct, entry.bytes)
        removed.delete(acct)
      }
      if (isCurrent) tell()
    }
    const watch = watchControl(
      this.#control,
      { inboxPrefix: inboxPrefix(this.#node), limits: this.#limits.watch },
      {
        onNode,
        onPlacement,
        onPlacementRemoved,
        onOther,
        onUnreadable: () => undefined,
        onCurrent: () => {
          isCurrent = true
          watcher.onCurrent()
          tell()
        },
        onStalled: () => {
          isCurrent = false
          watcher.onStalled()
        },
      },
    )
    return { reopen: () => watch.open(), close: () => watch.stop() }
  }

  async *records(
    acct: string,
    from: number,
  ): AsyncGenerator<{ seq: number; record: JournalRecord }> {
    let last: { readonly n: number; readonly hash: string } | undefined
    for await (const { seq, bytes } of readAhead(this.#log, { acct, from }, this.#limits.reader)) {
      const record = readRecord(bytes)
      if (record === undefined) throw new Error(`record ${seq} cannot be read`)
      const { n, prev } = record
      // What is in front of the first that is left was forgotten: a snapshot has it.
      const isNext = last === undefined || (n === last.n + 1 && prev === last.hash)
      if (!isNext) throw new BrokenChain(acct, seq)
      last = { n, hash: hashOf(bytes) }
      yield { seq, record }
    }
  }

  async snapshot(acct: string): Promise<EngineSnapshot | undefined> {
    const { callTimeoutMs } = this.#limits
    return readSnapshot(this.#snap, acct, callTimeoutMs)
  }

  async hasSnapshot(acct: string): Promise<boolean> {
    return (await this.#snap.read(acct, this.#limits.callTimeoutMs)) !== undefined
  }

  async identity(): Promise<string> {
    const { callTimeoutMs } = this.#limits
    const read = () => this.#keys.read(IDENTITY_KEY, callTimeoutMs)
    const found = await read()
    if (found !== undefined) return textOf(found)
    const made = new TextEncoder().encode(randomUUID())
    // Of several that ask for the first time one is right, and the others read what it wrote.
    await this.#keys.create(IDENTITY_KEY, made, callTimeoutMs).catch(() => undefined)
    const kept = await read()
    if (kept === undefined) throw new Error('the servers have no identity yet')
    return textOf(kept)
  }

  async keep(acct: string, name: SnapshotName, parts: readonly Uint8Array[]): Promise<void> {
    try {
      await this.#keep(acct, name, parts)
    } catch (error) {
      this.#onFailure(error)
      throw error
    }
  }

  async #keep(
    acct: string,
    { name, from }: SnapshotName,
    parts: readonly Uint8Array[],
  ): Promise<void> {
    const note: SnapshotNote = { name, from, parts: parts.length }
    const { entry: before, revision } = await this.#keepParts(acct, note, parts)
    // Whatever fails here, full servers too: the note may stand, and need its parts. If not, the next purge finds them.
    await this.#snap.update(acct, encode(note), { revision, timeoutMs: this.#limits.callTimeoutMs })
    if (before !== undefined) await this.#forgetSnapshot(acct, noteIn(before.bytes))
  }

  /** Answers what the note of them will take the place of. */
  async #keepParts(
    acct: string,
    note: SnapshotNote,
    parts: readonly Uint8Array[],
  ): Promise<KvStanding> {
    const { callTimeoutMs } = this.#limits
    try {
      for (const [part, bytes] of parts.entries()) {
        await this.#snap.create(partKey(acct, note.name, part), bytes, callTimeoutMs)
      }
      // Who slept for days between two parts has no longer the first.
      const first = await this.#snap.read(partKey(acct, note.name, 0), callTimeoutMs)
      if (first === undefined) throw new Error(`what was kept of snapshot ${note.name} was purged`)
      return await this.#snap.standing(acct, callTimeoutMs)
    } catch (error) {
      await this.#giveBack(acct, note)
      throw error
    }
  }

  /** The room of parts that no note names or will name, or each attempt would leave less. What stays, the next purge finds. */
  async #giveBack(acct: string, note: SnapshotNote): Promise<void> {
    await this.#forgetSnapshot(acct, note).catch(() => undefined)
  }

  /** What nobody finds any more. A part that stays behind takes room until {@link purgeSnapshots}. */
  async #forgetSnapshot(acct: string, { name, parts }: SnapshotNote): Promise<void> {
    const { callTimeoutMs: timeoutMs } = this.#limits
    for (let part = 0; part < parts; part++) {
      const key = partKey(acct, name, part)
      const entry = await this.#snap.read(key, timeoutMs)
      if (entry !== undefined) await this.#snap.remove(key, { revision: entry.revision, timeoutMs })
    }
  }

  follow(acct: string, onNews: () => void): () => void {
    return followNews(this.#commands, acct, onNews)
  }

  async register(acct: string, value: Uint8Array): Promise<Uint8Array> {
    const { callTimeoutMs } = this.#limits
    const key = registrationKey(acct)
    const failed = await this.#keys.create(key, value, callTimeoutMs).then(
      () => undefined,
      (error: unknown) => error,
    )
    // Somebody was faster, or the answer was lost: what stands there says which.
    const entry = await this.#keys.read(key, callTimeoutMs)
    if (entry === undefined) throw failed ?? new Error(`${key} is gone again`)
    return entry.bytes
  }

  async unregister(acct: string): Promise<void> {
    const { callTimeoutMs: timeoutMs } = this.#limits
    const key = registrationKey(acct)
    const entry = await this.#keys.read(key, timeoutMs)
    if (entry !== undefined) await this.#keys.remove(key, { revision: entry.revision, timeoutMs })
  }

  async request({ node, inc, acct, body, timeoutMs }: NodeCall): Promise<CallOutcome> {
    try {
      return { is: 'reply', body: await this.#calls.request({ node, inc, acct }, body, timeoutMs) }
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      return { is: error.outcome === 'not_executed' ? 'noResponders' : 'timeout' }
    }
  }

  serve(node: string, inc: string, server: CallServer): void {
    const stop = this.#calls.serve(
      { node, inc },
      (acct, body) => server.answer(acct, body),
      (acct, body) => server.undelivered(acct, body),
    )
    this.#stops.push(stop)
  }

  survey(call: SurveyCall): Promise<ReadonlyMap<string, Uint8Array>> {
    return this.#surveys.gather(call)
  }

  serveSurvey(what: string, answer: AnswerSurvey): void {
    this.#stops.push(this.#surveys.serve(what, answer))
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop()
    await this.#commands.close()
    await this.#control.close()
  }
}

const textOf = ({ bytes }: KvEntry): string => new TextDecoder().decode(bytes)
