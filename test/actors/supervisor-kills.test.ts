import { MessageChannel, type MessagePort } from 'node:worker_threads'
import t from 'tap'
import { heard } from '../in-time.ts'
import { type ActorSystem, HEARTBEAT, system } from './supervised.ts'

const ENTRY = 'test/runtime/fixtures/light.thread.ts'
const FAULTS = ['throw', 'reject', 'exit', 'restart'] as const
const POLICY = { intensity: 1_000, periodMs: 60_000, backoffMsMin: 0, backoffMsMax: 0 }

interface Victim {
  readonly name: string
  readonly slot: number
  front: MessagePort
  revived: PromiseWithResolvers<void>
}

async function startVictim({ supervisor, board }: ActorSystem, slot: number): Promise<Victim> {
  const victim: Victim = {
    name: `account/${slot}`,
    slot,
    front: new MessageChannel().port1,
    revived: Promise.withResolvers(),
  }
  await supervisor.startChild({
    name: victim.name,
    slot,
    entry: ENTRY,
    policy: POLICY,
    prepare: () => {
      const { port1, port2 } = new MessageChannel()
      victim.front = port1
      return { data: { board: board.memory, slot }, ports: { front: port2 } }
    },
    up: () => victim.revived.resolve(),
  })
  return victim
}

t.test('200 kills in a row: no dead process, and the bystander answers all along', async (t) => {
  const home = system({
    heartbeat: { ...HEARTBEAT, timeoutMs: 9_000, startTimeoutMs: 9_000 },
  })
  const { supervisor, board, actor } = home
  const bystander = actor('account/0', 0)
  await supervisor.startChild(bystander.spec)
  const victims = await Promise.all([1, 2, 3].map((slot) => startVictim(home, slot)))
  let kills = 0
  await Promise.all(
    victims.map(async (victim) => {
      while (kills < 200) {
        const fault = FAULTS[kills++ % FAULTS.length] ?? 'throw'
        victim.revived = Promise.withResolvers()
        victim.front.postMessage('in flight') // lost or answered, never a trouble
        if (fault === 'restart') await supervisor.restartChild(victim.name)
        else supervisor.fault(victim.name, fault)
        await Promise.all([victim.revived.promise, bystander.ask()])
      }
    }),
  )
  const lives = victims.reduce((sum, { slot }) => sum + board.incarnation(slot), 0)
  t.equal(lives, victims.length + kills)
  for (const { front } of victims) {
    front.postMessage('still there?')
    t.strictSame(await heard(front, 'message'), ['still there?'])
  }
  t.equal(await bystander.ask(), 1)
  t.ok(board.isQuiet())
  await supervisor.stopAll()
})
