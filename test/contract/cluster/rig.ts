import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import { EngineError } from '../../../src/cluster/nats/engine-error.ts'
import type { JournalLog } from '../../../src/cluster/nats/journal-log.ts'
import {
  type ControlKeys,
  type Journals,
  StreamEngine,
} from '../../../src/cluster/nats/stream-engine.ts'
import { Claim } from '../../../src/cluster/node/claim.ts'
import { readClocks } from '../../../src/cluster/node/clocks.ts'
import { hashOf, readRecord } from '../../../src/cluster/node/encoded.ts'
import { BrokenChain, FencedLog, type Place } from '../../../src/cluster/node/fenced-log.ts'
import { type AppendLimits, DEFAULT_APPEND_LIMITS } from '../../../src/cluster/protocol/append.ts'
import type { Owned } from '../../../src/cluster/protocol/claim-state.ts'
import { type Commit, type Gathering, gather } from '../../../src/cluster/protocol/commits.ts'
import { type Memory, NO_MEMORY } from '../../../src/cluster/protocol/known-past.ts'
import { type PeersState, startPeers, stepPeers } from '../../../src/cluster/protocol/peers.ts'
import type { JournalRecord, NodeRecord } from '../../../src/cluster/protocol/records.ts'
import { DEFAULT_TIMING, type Timing } from '../../../src/cluster/protocol/timing.ts'
import { inTime } from '../../in-time.ts'

/** What one process has: a connection of its own to the journals and the control keys. */
export interface JournalClient {
  readonly journals: Journals & Pick<JournalLog, 'readFrom'>
  readonly control: ControlKeys
}

/** Some place that keeps journals, and connections to it. */
export interface JournalRig {
  client(): Promise<JournalClient>
}

/** More than the servers take in one message. */
export const COMMIT_BYTES_MAX = 2 * 1024 * 1024

/** Times for a test: nothing is measured with them. */
export const TIMING: Timing = { ...DEFAULT_TIMING, retryMs: 5, tickMs: 10, engineMs: 1_000 }

export interface Life {
  readonly node: string
  readonly inc: string
}
export const newLife = (node: string): Life => ({ node, inc: randomUUID() })

interface Wish {
  readonly acct: string
  readonly self: Life
  /** Lives that are known to be over. */
  readonly over?: readonly Life[]
  readonly memory?: Memory
  readonly limits?: Partial<AppendLimits>
}

export interface Pen {
  readonly log: FencedLog
  readonly owned: Owned
  /** Resolves with the reason when the account is not ours any more. */
  readonly fenced: Promise<string>
  /** Each time the journal began to stand, or flowed again. */
  readonly stalls: boolean[]
}

/** A server that leaves, or the way to a new leader, may end a read of a whole journal in its middle. */
const READS_MAX = 400

/** Takes the account over and answers the pen. Rejects with the text when the journal has regressed. */
export async function takeOver(t: Test, client: JournalClient, wish: Wish): Promise<Pen> {
  const { acct, self } = wish
  const engine = new StreamEngine(client, () => undefined)
  const owner = Promise.withResolvers<Owned>()
  const claim = new Claim({
    acct,
    engine,
    timing: TIMING,
    now: readClocks,
    view: () => ({
      self: { ...self, since: 1 },
      mayClaim: true,
      lacksRoom: false,
      eligible: [self.node],
      peers: peersThatAre(self.node, wish.over ?? []),
      placement: undefined,
      isShown: true,
      memory: wish.memory ?? NO_MEMORY,
      opensAt: 0,
      isReal: false,
      rid: randomUUID(),
    }),
    fenceGate: () => Promise.resolve(),
    onOwner: owner.resolve,
    onRegressed: (text) => owner.reject(new Error(text)),
  })
  t.teardown(() => claim.stop())
  const owned = await inTime(owner.promise, `${self.node} to own ${acct}`)
  claim.stop()
  return penOf(t, client, { ...wish, owned, engine })
}

function penOf(
  t: Test,
  client: JournalClient,
  { owned, engine, self, limits }: Wish & { owned: Owned; engine: StreamEngine },
): Pen {
  const fenced = Promise.withResolvers<string>()
  const stalls: boolean[] = []
  const log = new FencedLog({
    engine,
    owned,
    self,
    timing: TIMING,
    limits: { ...DEFAULT_APPEND_LIMITS, commitBytesMax: COMMIT_BYTES_MAX, ...limits },
    now: readClocks,
    onFenced: fenced.resolve,
    onStalled: (isStalled) => stalls.push(isStalled),
  })
  t.teardown(() => log.close())
  JOURNALS.set(log, { acct: owned.acct, journals: client.journals })
  return { log, owned, fenced: fenced.promise, stalls }
}

function peersThatAre(node: string, over: readonly Life[]): PeersState {
  const now = readClocks()
  return over.reduce(
    (peers, life) => {
      const record: NodeRecord = {
        ...life,
        host: 'test',
        state: 'fenced',
        ttlMs: 15_000,
        v: 'test',
      }
      return stepPeers(peers, { is: 'sighting', record, revision: 1 }, now).state
    },
    startPeers(node, TIMING),
  )
}

let commits = 0
/** Each comes behind the one that was made before it, whichever pen writes it. */
export function commitOf(text: string): Omit<Commit, 'ticket'> {
  commits += 1
  return { number: commits, bytes: Buffer.from(text), opens: [], closes: [] }
}

/** Where a pen writes. */
const JOURNALS = new WeakMap<FencedLog, { acct: string; journals: JournalClient['journals'] }>()

/** What stands behind `after`, up to the last that stands there now. Errors  BrokenChain: not each is chained to the one before it. */
export async function* readFrom(
  log: FencedLog,
  after: Place,
): AsyncGenerator<Place & { readonly record: JournalRecord }> {
  const { acct, journals } = JOURNALS.get(log) ?? assert.fail('a pen of this rig')
  let { hash } = after
  for await (const { seq, bytes } of journals.readFrom(acct, after.seq + 1)) {
    const record = readRecord(bytes)
    if (record === undefined || record.prev !== hash) throw new BrokenChain(acct, seq)
    hash = hashOf(bytes)
    yield { seq, hash, record }
  }
}

/** What the account has decided, in the order in which it stands; read once more where the connection goes meanwhile. */
export async function decided(log: FencedLog): Promise<string[]> {
  for (let reads = 1; ; reads++) {
    try {
      return await decidedNow(log)
    } catch (error) {
      if (!(error instanceof EngineError) || reads === READS_MAX) throw error
      await delay(TIMING.retryMs)
    }
  }
}

async function decidedNow(log: FencedLog): Promise<string[]> {
  const texts: string[] = []
  let gathering: Gathering | undefined
  for await (const { record } of readFrom(log, { seq: 0, hash: '' })) {
    const gathered = gather(gathering, record)
    texts.push(...gathered.commits.map((bytes) => Buffer.from(bytes).toString()))
    gathering = gathered.gathering
  }
  return texts
}
