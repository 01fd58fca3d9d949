import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import type { Published, Resource } from '../../../src/protocol/account.ts'
import { ActorBoard, createActorBoard } from '../../../src/runtime/actor-board.ts'
import { KeptReads } from '../../../src/service/accounts/kept-reads.ts'

const SLOT = 1
const CALL = { timeoutMs: 1_000, correlationId: '' }

/** Reads of an account whose thread is loading: what is asked of it is answered when it has done so. */
function loading() {
  const board = new ActorBoard(createActorBoard(2))
  board.setStatus(SLOT, 'starting')
  const loaded = Promise.withResolvers<void>()
  const asked: Resource[] = []
  const session = { isOpen: true }
  const reads = new KeptReads({
    accountId: 'A',
    alias: '',
    system: { board, quotes: { writes: () => 0, stamp: () => 0 } as never },
    slot: SLOT,
    isOwner: () => true,
    priceAgeMs: 0,
    isInSession: () => session.isOpen,
    steadyMs: () => 0,
    ask: async (resource): Promise<Published> => {
      asked.push(resource)
      await loaded.promise
      const bytes = Buffer.from('{}')
      return { resource, bytes, version: 1, quoteSlots: [], quoteStamp: 0, dataVersion: 1 }
    },
  })
  const up = () => {
    board.setStatus(SLOT, 'ready')
    board.bumpVersion(SLOT)
    loaded.resolve()
  }
  return { reads, asked, up, session, board }
}

t.test('the status routes answer at once while the account loads its state', async (t) => {
  const { reads, asked } = loading()
  for (const resource of ['connection', 'status', 'gatewayStatus', 'v1Status'] as const) {
    const answer = reads.read(resource, CALL)
    t.notOk(answer instanceof Promise, `${resource}: nobody waits`)
    const text = Buffer.from((await answer).bytes).toString()
    t.match(text, /账户正在启动或重启.*account A is starting/, 'Chinese first')
    t.notMatch(text, /(?<!"success":)true/, 'nothing is claimed of an account that nobody can ask')
  }
  t.same(asked, [])
})

t.test('what only the account can answer waits for it', async (t) => {
  const { reads, asked, up } = loading()
  const positions = reads.read('positions', CALL)
  t.same(asked, ['positions'])
  up()
  t.match(await positions, { version: 1 })
})

t.test('what ages by itself is asked for again, though the account has no news', async (t) => {
  const { reads, asked, up } = loading()
  up()
  for (const resource of ['killSwitch', 'v1KillSwitch', 'gridSessions', 'reconcile'] as const) {
    await reads.read(resource, CALL)
    await reads.read(resource, CALL)
  }
  const aging = ['killSwitch', 'v1KillSwitch', 'gridSessions']
  t.same(asked, [...aging.flatMap((name) => [name, name]), 'reconcile'])
})

t.test(
  'what tells whether the market trades is asked for again when that has changed',
  async (t) => {
    const { reads, asked, up, session } = loading()
    up()
    const resources = ['positions', 'positionsAll', 'v1Positions', 'orders'] as const
    for (const resource of resources) await reads.read(resource, CALL)
    session.isOpen = false
    asked.length = 0
    for (const resource of resources) await reads.read(resource, CALL)
    for (const resource of resources) await reads.read(resource, CALL)
    t.same(asked, ['positions', 'positionsAll', 'v1Positions'])
  },
)

t.test('so is what tells that the disk is full or does not answer', async (t) => {
  const { reads, asked, up, board } = loading()
  up()
  const turns = [
    () => board.setDiskLate(true),
    () => board.setDiskLate(false),
    () => board.setDiskLow(true),
    () => board.setDiskLow(false),
  ]
  for (const resource of ['positions', 'positionsAll', 'v1Positions', 'orders'] as const) {
    await reads.read(resource, CALL)
    for (const turn of turns) {
      turn()
      await reads.read(resource, CALL)
      await reads.read(resource, CALL)
    }
  }
  const once = ['positions', 'positionsAll', 'v1Positions']
  t.same(asked, [...once.flatMap((name) => Array(1 + turns.length).fill(name)), 'orders'])
})

t.test('once it is up it answers for itself', async (t) => {
  const { reads, asked, up } = loading()
  await reads.read('status', CALL)
  up()
  t.match(await reads.read('status', CALL), { version: 1 })
  t.same(asked, ['status'], 'what was said while it loaded is not kept')
})

t.test(
  'an owner elsewhere that does not answer in time leaves the status routes an answer',
  async (t) => {
    const board = new ActorBoard(createActorBoard(2))
    board.setStatus(SLOT, 'ready')
    let isOurs = false
    const reads = new KeptReads({
      accountId: 'A',
      alias: '',
      system: { board, quotes: { writes: () => 0, stamp: () => 0 } as never },
      slot: SLOT,
      isOwner: () => isOurs,
      priceAgeMs: 0,
      isInSession: () => true,
      steadyMs: () => 0,
      ask: () => Promise.reject(new ServiceError('DEADLINE_EXCEEDED', 'it stands still')),
    })
    const { bytes } = await reads.read('status', CALL)
    t.match(String(bytes), /"problem":"[^"]*it stands still/)
    const late = { code: 'DEADLINE_EXCEEDED' }
    await t.rejects(Promise.resolve(reads.read('orders', CALL)), late, 'what only it can answer')
    isOurs = true
    await t.rejects(Promise.resolve(reads.read('status', CALL)), late, 'our own is found out')
  },
)

t.test('what a former owner tells late is not kept for an answer of this one', async (t) => {
  const board = new ActorBoard(createActorBoard(2))
  board.setStatus(SLOT, 'ready')
  board.bumpVersion(SLOT)
  const life = { isOurs: false }
  const asked: PromiseWithResolvers<Published>[] = []
  const reads = new KeptReads({
    accountId: 'A',
    alias: '',
    system: { board, quotes: { writes: () => 0, stamp: () => 0 } as never },
    slot: SLOT,
    isOwner: () => life.isOurs,
    priceAgeMs: 0,
    isInSession: () => true,
    steadyMs: () => 0,
    ask: () => {
      const answer = Promise.withResolvers<Published>()
      asked.push(answer)
      return answer.promise
    },
  })
  const published = (text: string): Published => ({
    resource: 'orders',
    bytes: Buffer.from(text),
    version: 1,
    quoteSlots: [],
    quoteStamp: 0,
    dataVersion: 1,
  })
  const textOf = async (read: Published | Promise<Published>) => String((await read).bytes)
  const before = textOf(reads.read('orders', CALL))
  life.isOurs = true
  reads.forget()
  const after = textOf(reads.read('orders', CALL))
  t.equal(asked.length, 2, 'who asks now is not answered by whoever ran it before')
  asked[1]?.resolve(published('ours'))
  t.equal(await after, 'ours')
  asked[0]?.resolve(published('theirs'))
  t.equal(await before, 'theirs')
  t.equal(await textOf(reads.read('orders', CALL)), 'ours')
})
