import { EngineError } from '../../../src/cluster/nats/engine-error.ts'
import { StreamEngine } from '../../../src/cluster/nats/stream-engine.ts'
import { readControl, readRecord } from '../../../src/cluster/node/encoded.ts'
import type {
  CallServer,
  ClusterEngine,
  ControlWatcher,
  EngineSnapshot,
} from '../../../src/cluster/node/engine.ts'
import type { NodeRecord, PlacementRecord } from '../../../src/cluster/protocol/records.ts'
import { parseControlKey } from '../../../src/cluster/protocol/subjects.ts'
import { memoryRig } from '../cluster/memory-rig.ts'
import type { JournalClient } from '../cluster/rig.ts'
import type { EngineLine } from './computer.ts'

const unreachable = () => new EngineError('unavailable', 'cut off')

/** The least that a cluster stands on: journals, keys, and calls between nodes, in memory. */
export function memoryServers() {
  const watchers = new Set<(key: string) => Promise<void>>()
  const keys = new Set<string>()
  const serving = new Map<string, CallServer>()
  const snapshots = new Map<string, EngineSnapshot>()
  const rig = memoryRig((key) => {
    keys.add(key)
    for (const told of watchers) void told(key)
  })

  /** The line of one node to them. */
  async function engine(): Promise<EngineLine> {
    let isCut = false
    const client = cutting(await rig.client(), () => isCut)
    const streams = new StreamEngine(client, () => undefined)
    const ends: (() => void)[] = []
    const whole: ClusterEngine = {
      perform: (effect) => streams.perform(effect),
      watch(watcher) {
        const told = (key: string) => tell(client, key, watcher)
        const open = async () => {
          await Promise.all([...keys].map(told))
          if (!isCut) watcher.onCurrent()
        }
        watchers.add(told)
        ends.push(() => watchers.delete(told))
        void open()
        return { reopen: () => void open(), close: () => watchers.delete(told) }
      },
      async *records(acct, from) {
        for await (const { seq, bytes } of client.journals.readFrom(acct, from)) {
          const record = readRecord(bytes)
          if (record === undefined) throw new Error(`record ${seq} cannot be read`)
          yield { seq, record }
        }
      },
      snapshot: async (acct) => snapshots.get(acct),
      hasSnapshot: async (acct) => snapshots.has(acct),
      identity: async () => 'memory',
      async keep(acct, { from }, parts) {
        if (isCut) throw unreachable()
        snapshots.set(acct, { parts, from })
      },
      follow: () => () => undefined,
      register: async (_acct, value) => value,
      unregister: async () => undefined,
      survey: async () => new Map(),
      serveSurvey: () => undefined,
      async request({ inc, acct, body }) {
        const server = serving.get(inc)
        if (isCut || server === undefined) return { is: 'noResponders' }
        return { is: 'reply', body: await server.answer(acct, body) }
      },
      serve(_node, inc, server) {
        serving.set(inc, server)
        ends.push(() => serving.delete(inc))
      },
      async close() {
        for (const end of ends.splice(0)) end()
      },
    }
    return {
      engine: whole,
      cut: () => {
        isCut = true
      },
      heal: () => {
        isCut = false
      },
    }
  }
  return { engine }
}

/** A connection that is cut reaches nothing, and what is shown stands still. */
function cutting({ journals, control }: JournalClient, isCut: () => boolean): JournalClient {
  const through =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (isCut()) throw unreachable()
      const answer = await call(...given)
      if (isCut()) throw new EngineError('ambiguous', 'cut off')
      return answer
    }
  return {
    journals: {
      append: through((...given: Parameters<typeof journals.append>) => journals.append(...given)),
      tail: through((...given: Parameters<typeof journals.tail>) => journals.tail(...given)),
      async *readFrom(acct, seq) {
        if (isCut()) throw unreachable()
        yield* journals.readFrom(acct, seq)
      },
    },
    control: {
      update: through((...given: Parameters<typeof control.update>) => control.update(...given)),
      standing: through((...given: Parameters<typeof control.standing>) =>
        control.standing(...given),
      ),
    },
  }
}

async function tell(client: JournalClient, key: string, watcher: ControlWatcher): Promise<void> {
  const { entry } = await client.control.standing(key, 0).catch(() => ({ entry: undefined }))
  if (entry === undefined) return
  const value = readControl(key, entry.bytes)
  const about = parseControlKey(key)
  const { revision } = entry
  if (about?.kind === 'node') watcher.onNode(value as NodeRecord, revision)
  if (about?.kind !== 'placement') return
  watcher.onPlacement(about.acct, { value: value as PlacementRecord, revision })
}
