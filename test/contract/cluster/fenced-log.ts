import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { EngineError } from '../../../src/cluster/nats/engine-error.ts'
import { NotAppended } from '../../../src/cluster/node/fenced-log.ts'
import { inTime } from '../../in-time.ts'
import { type Fault, withFaults } from './faults.ts'
import {
  COMMIT_BYTES_MAX,
  commitOf,
  decided,
  type JournalClient,
  type JournalRig,
  newLife,
  readFrom,
  takeOver,
} from './rig.ts'

const WRITERS = 6
/** An epoch, a commit, and some parts. */
const PARTS_BEFORE = 5
const WON_LEAST = 0.99

/** In each round all of them want the same place: how many had it, what was acknowledged, and what was not foreseen. */
export async function race(rig: JournalRig, rounds: number) {
  const clients = await Promise.all(Array.from({ length: WRITERS }, () => rig.client()))
  const [first] = clients
  assert(first !== undefined)
  const acct = `race-${randomUUID().slice(0, 8)}`
  const winners: number[] = []
  const acknowledged: number[] = []
  const unforeseen: unknown[] = []
  for (let round = 0, last = 0; round < rounds; round++) {
    const to = { expectedSeq: last, timeoutMs: 60_000 }
    const results = await Promise.allSettled(
      clients.map(({ journals }, writer) => journals.append(acct, Buffer.from([writer]), to)),
    )
    const won = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    winners.push(won.length)
    acknowledged.push(...won)
    const lost = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    unforeseen.push(...lost.filter((error) => !isLost(error)))
    // Where nobody was told, the end of the journal says who it was.
    last = (await first.journals.tail(acct))?.seq ?? 0
  }
  const stands: number[] = []
  for await (const { seq } of first.journals.readFrom(acct, 0)) stands.push(seq)
  return { winners, acknowledged, stands, unforeseen }
}

const isLost = (error: unknown): boolean =>
  error instanceof EngineError && ['conflict', 'ambiguous'].includes(error.failure)

const readsOf = (journals: JournalClient['journals']) => ({
  tail: (acct: string, timeoutMs: number) => journals.tail(acct, timeoutMs),
  readFrom: (acct: string, seq: number) => journals.readFrom(acct, seq),
})

/** Why it was not done; undefined when it was. */
const whyNot = (done: Promise<unknown>): Promise<string | undefined> =>
  inTime(done, 'an answer').then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof NotAppended) return error.why
      return error instanceof EngineError ? error.failure : String(error)
    },
  )

/** What every place that keeps journals must hold, whoever writes into it. */
export async function fencedLogContract(
  t: Test,
  open: (t: Test) => Promise<JournalRig>,
  { rounds }: { rounds: number },
): Promise<void> {
  await t.test('of writers that want the same place one has it', async (t) => {
    const { winners, acknowledged, stands, unforeseen } = await race(await open(t), rounds)
    t.strictSame(unforeseen, [])
    t.strictSame(
      winners.filter((count) => count > 1),
      [],
      'never two',
    )
    // The servers may refuse all of a round: another write was under way, they say.
    const won = winners.filter((count) => count === 1).length
    t.ok(won >= rounds * WON_LEAST, `and nearly always one: ${won} of ${rounds}`)
    t.strictSame(acknowledged, stands, 'and what was acknowledged is what stands there')
  })

  await t.test(
    'what is acknowledged is read in its order, each chained to the one before',
    async (t) => {
      const client = await (await open(t)).client()
      const { log, owned } = await takeOver(t, client, { acct: 'a1', self: newLife('n1') })
      t.equal(owned.e, 1)
      const texts = Array.from({ length: 40 }, (_, index) => `decision ${index}`)
      await inTime(Promise.all(texts.map((text) => log.append(commitOf(text)))), 'all appends')
      t.strictSame(await decided(log), texts)
      const rest = []
      for await (const place of readFrom(log, log.place)) rest.push(place)
      t.strictSame(rest, [], 'behind the last there is none')
      await t.rejects(async () => {
        for await (const place of readFrom(log, { seq: 0, hash: 'f'.repeat(64) })) rest.push(place)
      }, /not chained/)
    },
  )

  const faults: Fault[] = ['lost_answer', 'write_under_way', 'unsent']
  for (const fault of faults) {
    await t.test(`after ${fault} everything stands there once`, async (t) => {
      const client = await (await open(t)).client()
      const met: Fault[] = []
      const { log } = await takeOver(t, withFaults(client, met), {
        acct: 'a1',
        self: newLife('n1'),
      })
      await log.append(commitOf('before'))
      met.push(fault, fault)
      const both = [log.append(commitOf('during')), log.append(commitOf('behind'))]
      await inTime(Promise.all(both), 'the appends')
      await log.append(commitOf('after'))
      t.strictSame(met, [])
      t.strictSame(await decided(log), ['before', 'during', 'behind', 'after'])
    })
  }

  await t.test('a claim whose answer was lost is one claim', async (t) => {
    const client = withFaults(await (await open(t)).client(), ['lost_answer'])
    const { owned, log } = await takeOver(t, client, { acct: 'a1', self: newLife('n1') })
    t.equal(owned.e, 1)
    t.equal(owned.n, 1)
    await log.append(commitOf('one'))
    t.strictSame(await decided(log), ['one'])
  })

  await t.test('whoever was overtaken appends nothing more', async (t) => {
    const rig = await open(t)
    const [first, second] = [newLife('n1'), newLife('n2')]
    const former = await takeOver(t, await rig.client(), { acct: 'a1', self: first })
    await former.log.append(commitOf('mine'))
    const next = await takeOver(t, await rig.client(), { acct: 'a1', self: second, over: [first] })
    t.equal(next.owned.e, 2)
    t.strictSame(next.owned.former?.node, 'n1')
    t.equal(await whyNot(former.log.append(commitOf('late'))), 'fenced')
    t.equal(await inTime(former.fenced, 'the former to stop'), 'overtaken')
    t.equal(await whyNot(former.log.append(commitOf('later'))), 'refused')
    t.equal(await whyNot(former.log.release()), 'fenced')
    await next.log.append(commitOf('theirs'))
    t.strictSame(await decided(next.log), ['mine', 'theirs'])
  })

  await t.test(
    'F204 what is longer than any message stands whole, also when answers are lost between its parts',
    async (t) => {
      const client = await (await open(t)).client()
      const met: Fault[] = []
      const { log } = await takeOver(t, withFaults(client, met), {
        acct: 'a1',
        self: newLife('n1'),
      })
      met.push('lost_answer', 'write_under_way')
      const long = 'decision '.repeat(COMMIT_BYTES_MAX / 10)
      const all = ['before', long, 'behind']
      await inTime(Promise.all(all.map((text) => log.append(commitOf(text)))), 'the appends')
      t.strictSame(met, [])
      const found = await decided(log)
      t.strictSame(
        found.map((text) => text.length),
        all.map((text) => text.length),
      )
      t.ok(found[1] === long)
    },
  )

  await t.test('F204 of a commit that was cut short nothing has happened', async (t) => {
    const rig = await open(t)
    const [first, second] = [newLife('n1'), newLife('n2')]
    const limits = { recordBytesMax: 8 }
    const begun = Promise.withResolvers<void>()
    const cut = Promise.withResolvers<never>()
    cut.promise.catch(() => undefined)
    let left = PARTS_BEFORE
    const { journals, control } = await rig.client()
    const append: typeof journals.append = (...record) => {
      left -= 1
      if (left < 0) begun.resolve()
      return left < 0 ? cut.promise : journals.append(...record)
    }
    const wish = { acct: 'a1', self: first, limits }
    const former = await takeOver(t, { control, journals: { ...readsOf(journals), append } }, wish)
    await former.log.append(commitOf('mine'))
    const overtaken = whyNot(former.log.append(commitOf('cut short '.repeat(10))))
    await inTime(begun.promise, 'some parts')
    const next = await takeOver(t, await rig.client(), { ...wish, self: second, over: [first] })
    cut.reject(new EngineError('unavailable', 'cut'))
    t.equal(await overtaken, 'fenced')
    await next.log.append(commitOf('a decision of theirs'))
    t.equal(next.owned.n, PARTS_BEFORE + 1, 'parts of it stand there')
    t.strictSame(await decided(next.log), ['mine', 'a decision of theirs'])
  })

  await t.test('an intent without an outcome stands in the last record', async (t) => {
    const rig = await open(t)
    const [first, second] = [newLife('n1'), newLife('n2')]
    const former = await takeOver(t, await rig.client(), { acct: 'a1', self: first })
    const intents = ['i1', 'i2'].map((id) => ({ id, deadlineMs: 1_000 }))
    await former.log.append({ ...commitOf('orders'), opens: intents })
    await former.log.append({ ...commitOf('outcome'), closes: ['i1'] })
    const { owned } = await takeOver(t, await rig.client(), {
      acct: 'a1',
      self: second,
      over: [first],
    })
    t.strictSame(owned.open, [{ id: 'i2', deadlineMs: 1_000 }])
  })

  await t.test('what was released is taken over at once, behind all that waited', async (t) => {
    const rig = await open(t)
    const former = await takeOver(t, await rig.client(), { acct: 'a1', self: newLife('n1') })
    const waiting = ['one', 'two', 'three'].map((text) => former.log.append(commitOf(text)))
    const released = former.log.release()
    t.equal(await whyNot(former.log.append(commitOf('late'))), 'refused')
    await inTime(Promise.all([released, ...waiting]), 'the release')
    const next = await takeOver(t, await rig.client(), { acct: 'a1', self: newLife('n2') })
    t.equal(next.owned.e, 2)
    t.strictSame(await decided(next.log), ['one', 'two', 'three'])
  })

  const known = [
    { what: 'a later record', memory: { seq: 1_000_000, hash: 'f'.repeat(64), e: 1 } },
    { what: 'another record', memory: { hash: 'f'.repeat(64), e: 1 } },
    { what: 'a later epoch', memory: { seq: 0, hash: '', e: 1_000 } },
  ]
  for (const { what, memory } of known) {
    await t.test(`nobody acts on a journal where this computer knows ${what}`, async (t) => {
      const client = await (await open(t)).client()
      const { log } = await takeOver(t, client, { acct: 'a1', self: newLife('n1') })
      await log.append(commitOf('one'))
      const seq = await log.release()
      const wish = { acct: 'a1', self: newLife('n1'), memory: { seq, ...memory } }
      await t.rejects(takeOver(t, client, wish), /(this computer holds|record|epoch)/)
    })
  }

  await t.test('what waits is bounded, and refused early', async (t) => {
    const client = await (await open(t)).client()
    const wish = { acct: 'a1', self: newLife('n1'), limits: { queueMax: 3 } }
    const { log } = await takeOver(t, client, wish)
    const commits = Array.from({ length: 6 }, (_, index) => commitOf(`${index}`))
    const results = await inTime(
      Promise.allSettled(commits.map((commit) => log.append(commit))),
      'all of them',
    )
    t.strictSame(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
      'one is on its way, three wait',
    )
    t.strictSame(await decided(log), ['0', '1', '2', '3'])
    const [, , , , next = assert.fail(), behind = assert.fail()] = commits
    t.equal(await whyNot(log.append(behind)), 'refused', 'what it was decided upon is not there')
    const bytes = new Uint8Array(COMMIT_BYTES_MAX + 1)
    t.equal(await whyNot(log.append({ ...next, bytes })), 'too_long')
    t.equal(await whyNot(log.append(behind)), 'refused')
    await log.append(next)
    await log.append(behind)
    t.strictSame(await decided(log), ['0', '1', '2', '3', '4', '5'])
  })

  await t.test('a key is written by one of those that know its revision', async (t) => {
    const rig = await open(t)
    const [one, two] = [await rig.client(), await rig.client()]
    const write = { revision: 0, timeoutMs: 5_000 }
    const key = 'n.n1'
    t.strictSame(await one.control.standing(key, 5_000), { entry: undefined, revision: 0 })
    const revision = await one.control.update(key, Buffer.from('1'), write)
    t.equal(await whyNot(two.control.update(key, Buffer.from('2'), write)), 'conflict')
    const both = await Promise.allSettled([
      one.control.update(key, Buffer.from('one'), { ...write, revision }),
      two.control.update(key, Buffer.from('two'), { ...write, revision }),
    ])
    t.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
    const text = both[0]?.status === 'fulfilled' ? 'one' : 'two'
    const { entry } = await one.control.standing(key, 5_000)
    t.equal(Buffer.from(entry?.bytes ?? []).toString(), text)
  })
}
