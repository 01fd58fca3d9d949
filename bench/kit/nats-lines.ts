import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionSettings, ConnectionState } from '../../src/cluster/nats/connect.ts'
import { EngineError } from '../../src/cluster/nats/engine-error.ts'
import { JournalLog } from '../../src/cluster/nats/journal-log.ts'
import { Line, type LineLimits } from '../../src/cluster/nats/line.ts'
import { provision, type StreamSettings } from '../../src/cluster/nats/provision.ts'
import { SHARDS, shardOf } from '../../src/cluster/protocol/subjects.ts'

/** For servers that do not come: nothing is measured with it. */
const PATIENCE_MS = 120_000
const MIB = 1024 * 1024

export const LINE_LIMITS: LineLimits = { requestsMax: 5_000, drainMs: 1_000, watchedMax: 100 }

export const streamSettings = (
  replicas: 1 | 3,
  change: Partial<StreamSettings> = {},
): StreamSettings => ({
  replicas,
  journalBytesMax: 64 * MIB,
  controlBytesMax: 16 * MIB,
  snapshotBytesMax: 16 * MIB,
  recordBytesMax: MIB / 2,
  ...change,
})

export type LineChange = Partial<ConnectionSettings> & {
  onState?: (state: ConnectionState) => void
}

/** Without certificates and users. */
export const connectionTo = (
  urls: readonly string[],
  change: Partial<ConnectionSettings> = {},
): ConnectionSettings => ({
  servers: urls,
  name: 'test',
  inboxPrefix: '_INBOX_test',
  reconnects: 'forever',
  limits: { connectTimeoutMs: 5_000, reconnectWaitMs: 20, pingMs: 5_000, pingsUnansweredMax: 2 },
  ...change,
})

export function openLineTo(urls: readonly string[], change: LineChange = {}): Promise<Line> {
  const { onState = () => undefined, ...settings } = change
  return Line.open(connectionTo(urls, settings), LINE_LIMITS, onState)
}

const CALL_MS = 10_000
const AGAIN_MS = 50

/** Makes the streams. Servers that have just found each other refuse for a moment, and tell nobody when it is over. */
export const makeStreams = (line: Line, settings: StreamSettings): Promise<void> =>
  untilDone(() => provision(line, settings, CALL_MS))

/** Until each journal can be written on this connection: its server learns of new streams from the others. */
export async function untilWritable(line: Line): Promise<void> {
  const log = new JournalLog(line, { callTimeoutMs: CALL_MS })
  for (const acct of oneAccountAShard()) {
    await untilDone(() =>
      log.append(acct, new Uint8Array(0), { expectedSeq: 1, timeoutMs: CALL_MS }).catch(isConflict),
    )
  }
}

function oneAccountAShard(): Iterable<string> {
  const accounts = new Map<number, string>()
  for (let count = 0; accounts.size < SHARDS; count++)
    accounts.set(shardOf(`p${count}`), `p${count}`)
  return accounts.values()
}

function isConflict(error: unknown): void {
  if (!(error instanceof EngineError) || error.failure !== 'conflict') throw error
}

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (performance.now() > endMs) throw error
      await sleep(AGAIN_MS)
    }
  }
}
