import { jetstreamManager } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import type { Line } from '../../../src/cluster/nats/line.ts'
import { journalStream, shardOf } from '../../../src/cluster/protocol/subjects.ts'
import {
  makeStreams,
  openLine,
  streamSettings,
  untilWritable,
} from '../../cluster/fixtures/nats-lines.ts'
import { type NatsServer, NO_SERVERS, natsServers } from '../../cluster/fixtures/nats-servers.ts'
import { inTime } from '../../in-time.ts'
import { fencedLogContract } from './fenced-log.ts'
import { clientOf, natsRig } from './nats-rig.ts'
import { commitOf, decided, newLife, takeOver } from './rig.ts'

const COMMITS = 300
const FAULT_AT = 100

t.test('journals on three nats-servers', { skip: NO_SERVERS }, async (t) => {
  await fencedLogContract(t, (inner) => natsRig(inner, 3), { rounds: 1_500 })
})

async function leaderOf(line: Line, stream: string, servers: readonly NatsServer[]) {
  const manager = await jetstreamManager(line.connection, { checkAPI: false })
  const { cluster } = await manager.streams.info(stream)
  const leader = servers.find(({ name }) => name === cluster?.leader)
  if (leader === undefined) throw new Error(`${stream} has no leader`)
  return leader
}

/** An owner that appends without a pause, while something happens to the leader of its journal. */
async function appendThrough(t: Test, happen: (leader: NatsServer) => Promise<void>) {
  const servers = await natsServers(t, { count: 3 })
  const urls = servers.map(({ url }) => url)
  const watcher = await openLine(t, urls)
  await makeStreams(watcher, streamSettings(3))
  const line = await openLine(t, urls)
  await untilWritable(line)
  const { log, fenced } = await takeOver(t, clientOf(line), { acct: 'a1', self: newLife('n1') })
  const ends: string[] = []
  void fenced.then((why) => ends.push(why))
  const texts = Array.from({ length: COMMITS }, (_, index) => `decision ${index}`)
  for (const [index, text] of texts.entries()) {
    if (index === FAULT_AT)
      await happen(await leaderOf(watcher, journalStream(shardOf('a1')), servers))
    await inTime(log.append(commitOf(text)), text)
  }
  t.strictSame(await decided(log), texts, 'each stands there once, in its order')
  t.strictSame(ends, [], 'nobody took the account over')
}

t.test('F165 the leader of a journal is killed', { skip: NO_SERVERS }, async (t) => {
  await appendThrough(t, async (leader) => leader.kill())
})

t.test(
  'F165 the leader of a journal stands still, and goes on later',
  { skip: NO_SERVERS },
  async (t) => {
    let stopped: NatsServer | undefined
    await appendThrough(t, async (leader) => {
      stopped = leader
      leader.suspend()
    })
    stopped?.proceed()
  },
)

t.test('F165 the leader of a journal is sent away', { skip: NO_SERVERS }, async (t) => {
  await appendThrough(t, async (leader) => leader.leave())
})

t.test(
  'a server that comes back knows what was written without it',
  { skip: NO_SERVERS },
  async (t) => {
    let back: NatsServer | undefined
    await appendThrough(t, async (leader) => {
      await leader.kill()
      back = leader
    })
    await back?.start()
    t.pass('it found the others')
  },
)
