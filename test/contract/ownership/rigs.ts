import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { NatsEngine } from '../../../src/cluster/nats/nats-engine.ts'
import { inboxPrefix } from '../../../src/cluster/protocol/subjects.ts'
import { makeStreams, openLine, streamSettings } from '../../cluster/fixtures/nats-lines.ts'
import { natsProxy } from '../../cluster/fixtures/nats-proxy.ts'
import { natsServers } from '../../cluster/fixtures/nats-servers.ts'
import { IMPATIENT, startChild } from '../../cluster/fixtures/protocol.ts'
import { turnsUntil } from '../../in-time.ts'
import { resume, suspend } from '../../suspend.ts'
import {
  type Candidate,
  type Change,
  History,
  type OwnershipRig,
  type RigKind,
} from './candidate.ts'
import { Computer, type EngineLine, JumpingClock, TIMING } from './computer.ts'
import { memoryServers } from './memory-servers.ts'

/** Short enough for sockets in the folder of the account. */
function shortDir(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'owner-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** No database is being written when one is suspended: its lock would be kept, and waited for. */
const SUSPENDED = { limits: IMPATIENT, log: { checkpointMs: 600_000 } }

/** One computer: processes on one data folder, with its files and sockets. */
export function localRig(t: Test, { loses = false }: RigKind = {}): OwnershipRig {
  const names = new Map<number, string>()
  const dataDir = shortDir(t)
  const history = new History()
  return {
    history,
    outlive: (heir) => heir.until('owner'),
    async candidate(name, how = {}): Promise<Candidate> {
      const child = await startChild(t, dataDir, { ...(loses && SUSPENDED), ...how })
      names.set(child.pid, name)
      child.onRole(({ event, epoch, atMs }) => {
        if (event !== 'up') history.note(name, event === 'owner' ? epoch : 0, atMs)
      })
      const left = () => history.note(name, 0)
      return {
        name,
        start: async () => {
          const { failed } = await child.order({ kind: 'start' })
          return failed === undefined ? { ok: undefined } : { failed }
        },
        up: () => child.order({ kind: 'up' }),
        lost: () => child.order({ kind: 'lost' }),
        release: () => {
          left()
          return child.order({ kind: 'release' })
        },
        ask: async () => {
          const { ok, failed } = await child.order({ kind: 'ask', body: name })
          if (failed !== undefined) return { failed }
          return { ok: names.get((ok as { readonly by: number }).by) }
        },
        commit: (text) => child.order({ kind: 'commit', text }),
        committed: () => child.order({ kind: 'committed' }),
        until: (kind) => child.until(kind) as Promise<Change>,
        kill: async () => {
          left()
          await child.kill()
        },
        lose: async () => {
          left()
          await suspend(child.pid)
        },
        find: () => resume(child.pid),
      }
    },
  }
}

/** Computers of a cluster, each with a folder of its own, on whatever it stands on. */
function clusterRig(t: Test, open: (name: string) => Promise<EngineLine>): OwnershipRig {
  const root = t.testdir()
  const clock = new JumpingClock()
  const history = new History()
  const computers: Computer[] = []
  t.teardown(async () => {
    for (const computer of computers) await computer.close()
  })
  return {
    history,
    async candidate(name, how = {}) {
      const dataDir = join(root, name)
      mkdirSync(dataDir, { recursive: true })
      const line = await open(name)
      const computer = new Computer({ name, dataDir, line, clock, history, how })
      computers.push(computer)
      await turnsUntil(() => computer.hasRenewedSince(0), `${name} to have a lease`)
      return computer
    },
    async outlive(heir) {
      while (!(heir as Computer).isOwner) {
        // Never so far that the nodes which are there would take themselves for blind.
        clock.jump(2 * TIMING.renewMs)
        const { monoMs } = clock.now()
        const all = () => computers.every((one) => one.hasRenewedSince(monoMs))
        await turnsUntil(() => all() || (heir as Computer).isOwner, 'the leases to be renewed')
      }
      return heir.until('owner')
    },
  }
}

export function memoryRigOf(t: Test): OwnershipRig {
  const servers = memoryServers()
  return clusterRig(t, () => servers.engine())
}

/** On one real server, each node behind a line that can be cut. */
export async function natsRigOf(t: Test): Promise<OwnershipRig> {
  const [server] = await natsServers(t, { count: 1 })
  const url = server?.url ?? ''
  await makeStreams(await openLine(t, [url]), streamSettings(1))
  return clusterRig(t, async (node) => {
    const proxy = await natsProxy(t, url)
    const engine = await NatsEngine.open({
      node,
      settings: {
        servers: [proxy.url],
        name: node,
        inboxPrefix: inboxPrefix(node),
        reconnects: 'forever',
        limits: {
          connectTimeoutMs: 20_000,
          reconnectWaitMs: 20,
          pingMs: 5_000,
          pingsUnansweredMax: 2,
        },
      },
      limits: {
        line: { requestsMax: 5_000, drainMs: 1_000, watchedMax: 100 },
        watch: { silenceMs: 5_000, callTimeoutMs: 5_000, retryMs: 20 },
        calls: {
          perAccountMax: 100,
          perNodeMax: 100,
          bytesMax: 100_000,
          answerBytesMax: 1_000_000,
          keptBytesMax: 1_000_000,
          keepMs: 1_000,
        },
        surveys: { openMax: 1, bytesMax: 1_000 },
        reader: { readersMax: 4, aheadMax: 64 },
        callTimeoutMs: 5_000,
      },
      onState: () => undefined,
      onFailure: () => undefined,
    })
    return { engine, cut: () => proxy.cut(), heal: () => proxy.hangUp() }
  })
}
