import t from 'tap'
import { PaperDriver } from '../../src/drivers/paper/client.ts'
import type { PaperFaults } from '../../src/drivers/paper/faults.ts'
import type { DriverCommand, DriverEvent, HostCommand } from '../../src/protocol/driver.ts'
import { turnsUntil } from '../in-time.ts'
import { orderOf } from './fixtures/paper.ts'

/** A driver on a line that the test plays by hand. */
class Stage {
  readonly sent: HostCommand[] = []
  readonly heard: DriverEvent[] = []
  readonly driver: PaperDriver
  isClosed = false
  done = 0
  #receive: (event: DriverEvent) => void = () => undefined

  constructor(faults: PaperFaults = {}) {
    this.driver = new PaperDriver({
      epoch: 7,
      faults,
      line: (receive) => {
        this.#receive = (event) =>
          receive({ kind: 'event', event }, () => {
            this.done += 1
          })
        return {
          send: (command) => this.sent.push(command),
          close: () => {
            this.isClosed = true
          },
        }
      },
    })
    this.driver.open((event) => this.heard.push(event))
  }
  connect(): this {
    this.driver.send({ kind: 'connect', callId: 1 })
    this.receive({ kind: 'connectAnswered', callId: 1, result: { ok: true, value: null } })
    return this
  }
  receive(event: DriverEvent): void {
    this.#receive(event)
  }
  kinds(): string {
    return this.heard.map(({ kind }) => kind).join(' ')
  }
}

const ASSET = { kind: 'assetPushed' } as unknown as DriverEvent
const POSITION = { kind: 'positionPushed' } as unknown as DriverEvent
const SUBMIT = (): DriverCommand => ({ kind: 'submit', callId: 2, order: orderOf() })

t.test('it opens with the epoch of its owner, once', async (t) => {
  const { sent, driver } = new Stage()
  t.same(sent, [{ kind: 'open', epoch: 7 }])
  t.throws(() => driver.open(() => undefined), /open already/)
})

t.test('pushes of a connection that is not there are lost, but counted off', async (t) => {
  const stage = new Stage()
  stage.receive(ASSET)
  t.equal(stage.kinds(), '')
  stage.connect().receive(ASSET)
  t.equal(stage.kinds(), 'connectAnswered assetPushed')
  stage.receive({ kind: 'disconnected', reason: 'gone' })
  stage.receive(ASSET)
  t.equal(stage.kinds(), 'connectAnswered assetPushed disconnected')
  t.equal(stage.done, 5 - 0)
})

t.test('a closed driver is silent in both directions', async (t) => {
  const stage = new Stage().connect()
  stage.driver.close()
  stage.driver.send(SUBMIT())
  stage.receive(ASSET)
  t.ok(stage.isClosed)
  t.equal(stage.sent.length, 2)
  t.equal(stage.kinds(), 'connectAnswered')
})

t.test('commands can hang, fail, or break the connection', async (t) => {
  const fault = (
    kind: DriverCommand['kind'],
    given: ReturnType<NonNullable<PaperFaults['command']>>,
  ) => new Stage({ command: (command) => (command.kind === kind ? given : undefined) })

  const hung = fault('query', { kind: 'hang' }).connect()
  hung.driver.send({ kind: 'query', callId: 3, what: 'asset' })
  t.equal(hung.sent.length, 2)
  t.equal(hung.kinds(), 'connectAnswered')

  const refused = fault('connect', { kind: 'fail', message: 'no client' })
  refused.driver.send({ kind: 'connect', callId: 1 })
  t.match(refused.heard, [
    { kind: 'connectAnswered', result: { ok: false, error: { message: 'no client' } } },
  ])

  const rejected = fault('submit', { kind: 'fail', message: '系统忙' }).connect()
  rejected.driver.send(SUBMIT())
  t.match(rejected.heard.at(-1), { outcome: { kind: 'rejected', message: '系统忙' } })

  for (const isSent of [true, false]) {
    const broken = fault('submit', { kind: 'disconnect', reason: 'cable', isSent }).connect()
    broken.driver.send(SUBMIT())
    t.match(broken.heard.at(-1), { kind: 'disconnected', reason: 'cable' })
    t.equal(broken.sent.length, isSent ? 3 : 2)
    broken.driver.send({ kind: 'query', callId: 4, what: 'asset' })
    t.match(broken.heard.at(-1), { kind: 'queryAnswered', result: { ok: false } })
  }
})

t.test('an order that is late holds the barrier, on this connection and the next', async (t) => {
  const gate = Promise.withResolvers<void>()
  const command = (sent: DriverCommand) =>
    sent.kind === 'submit' ? ({ kind: 'late', until: gate.promise } as const) : undefined
  const stage = new Stage({ command }).connect()
  stage.driver.send(SUBMIT())
  stage.driver.send({ kind: 'query', callId: 3, what: 'orders' })
  t.equal(stage.sent.length, 3, 'the report has passed it')
  const barrier = () => stage.driver.send({ kind: 'barrier', callId: 4 })
  const stands = { kind: 'barrierAnswered', callId: 4, result: { ok: false } }
  barrier()
  t.match(stage.heard.at(-1), stands)
  stage.receive({ kind: 'disconnected', reason: 'gone' })
  stage.connect()
  barrier()
  t.match(stage.heard.at(-1), stands, 'it may still arrive')
  gate.resolve()
  await gate.promise
  await undefined
  barrier()
  const kinds = stage.sent.slice(-2).map((sent) => sent.kind === 'command' && sent.command.kind)
  t.strictSame(kinds, ['submit', 'barrier'], 'behind it, on the same line')
})

t.test('an order that is late on a driver that was closed never arrives', async (t) => {
  const gate = Promise.withResolvers<void>()
  const stage = new Stage({ command: () => ({ kind: 'late', until: gate.promise }) }).connect()
  const before = stage.sent.length
  stage.driver.send(SUBMIT())
  stage.driver.close()
  gate.resolve()
  await gate.promise
  await undefined
  t.equal(stage.sent.length, before)
})

t.test('events can be lost, doubled, late, or change places', async (t) => {
  const fault = (given: ReturnType<NonNullable<PaperFaults['event']>>) =>
    new Stage({ event: (event) => (event.kind === 'assetPushed' ? given : undefined) }).connect()
  const play = (stage: Stage) => {
    stage.receive(ASSET)
    stage.receive(POSITION)
    return stage.kinds().replace('connectAnswered ', '')
  }
  t.equal(play(fault(undefined)), 'assetPushed positionPushed')
  t.equal(play(fault({ kind: 'lose' })), 'positionPushed')
  t.equal(play(fault({ kind: 'twice' })), 'assetPushed assetPushed positionPushed')
  t.equal(play(fault({ kind: 'swap' })), 'positionPushed assetPushed')
  const late = fault({ kind: 'late', delayMs: 1 })
  t.equal(play(late), 'positionPushed')
  t.equal(late.done, 2, 'what is late is not done yet')
  await turnsUntil(() => late.done >= 3, '3 events that are done')
  t.equal(late.kinds(), 'connectAnswered positionPushed assetPushed')
})

const DEAL = { kind: 'dealPushed' } as unknown as DriverEvent
const CONNECTED = (callId: number): DriverEvent => ({
  kind: 'connectAnswered',
  callId,
  result: { ok: true, value: null },
})

t.test(
  'something else can be told, and the connection can break in place of an event',
  async (t) => {
    const wrong = new Stage({
      event: (event) =>
        event.kind === 'assetPushed' ? { kind: 'instead', event: POSITION } : undefined,
    }).connect()
    wrong.receive(ASSET)
    t.equal(wrong.kinds(), 'connectAnswered positionPushed')

    const broken = new Stage({
      event: (event) =>
        event.kind === 'assetPushed' ? { kind: 'disconnect', reason: 'cable' } : undefined,
    }).connect()
    broken.receive(ASSET)
    broken.receive(POSITION)
    t.equal(broken.kinds(), 'connectAnswered disconnected')
  },
)

t.test('what an older connection says late tells of orders and deals only', async (t) => {
  const stage = new Stage({
    event: (event) => (event.kind === 'connectAnswered' ? undefined : { kind: 'late', delayMs: 1 }),
  }).connect()
  stage.receive(ASSET)
  stage.receive(DEAL)
  stage.receive({ kind: 'disconnected', reason: 'old session' })
  stage.driver.send({ kind: 'query', callId: 2, what: 'asset' })
  await turnsUntil(() => stage.kinds().split(' ').length >= 4, 'four events')
  t.equal(
    stage.kinds(),
    'connectAnswered assetPushed dealPushed disconnected',
    'of this connection',
  )

  const faults: PaperFaults = {
    command: ({ kind }) =>
      kind === 'query' ? { kind: 'disconnect', reason: 'cable', isSent: false } : undefined,
    event: ({ kind }) => (kind === 'connectAnswered' ? undefined : { kind: 'late', delayMs: 1 }),
  }
  const again = new Stage(faults).connect()
  again.receive(ASSET)
  again.receive(DEAL)
  again.receive({ kind: 'disconnected', reason: 'old session' })
  again.driver.send({ kind: 'query', callId: 2, what: 'asset' })
  again.receive(CONNECTED(3))
  await turnsUntil(() => again.done >= 5, '5 events that are done')
  t.equal(again.kinds(), 'connectAnswered disconnected connectAnswered dealPushed')
})

t.test('a broker that starts anew has forgotten what it still had to say', async (t) => {
  const stage = new Stage({
    command: ({ kind }) =>
      kind === 'submit' ? { kind: 'restart', reason: 'new session' } : undefined,
    event: ({ kind }) => (kind === 'dealPushed' ? { kind: 'late', delayMs: 1 } : undefined),
  }).connect()
  stage.receive(DEAL)
  stage.driver.send(SUBMIT())
  t.equal(stage.sent.length, 2, 'the command is lost')
  stage.receive(CONNECTED(3))
  await turnsUntil(() => stage.done >= 3, '3 events that are done')
  t.equal(stage.kinds(), 'connectAnswered disconnected connectAnswered')
})
