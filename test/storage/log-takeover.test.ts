import t, { type Test } from 'tap'
import type { ServiceError } from '../../src/domain/errors.ts'
import { decode } from '../../src/protocol/codec.ts'
import type { StoredEntry } from '../../src/protocol/store.ts'
import { verifyChain } from '../../src/storage/journal-chain.ts'
import type { StoreClient } from '../../src/storage/store-client.ts'
import { decided, told } from './fixtures/log-desk.ts'
import { OWNER, startStore, type TestStore } from './fixtures/store-thread.ts'

const ROUNDS = 20
/** Commits that an owner has under way. */
const WIDTH = 6

/** An owner that commits until it is told that it is none any more. */
class Busy {
  readonly ended: Promise<string>
  /** Highest number that was answered. */
  answered = 0
  #seq: number

  constructor(client: StoreClient, seq: number) {
    this.#seq = seq
    this.ended = Promise.race(Array.from({ length: WIDTH }, () => this.#commit(client)))
  }

  async #commit(client: StoreClient): Promise<string> {
    for (;;) {
      const own = ++this.#seq
      try {
        await client.commit(decided(own))
        this.answered = Math.max(this.answered, own)
      } catch (error) {
        return (error as ServiceError).code
      }
    }
  }
}

async function takeOver(t: Test, store: TestStore, before: Busy | undefined) {
  const { epoch } = await store.control({ kind: 'inspect', accountId: '1' })
  const claim = { kind: 'claim', accountId: '1', expected: epoch, owner: OWNER } as const
  const { claimed } = await store.control(claim)
  t.ok(claimed)
  const client = store.client('1')
  const { seq, tables, restored } = await client.open(['orders'])
  t.equal(restored, null)
  if (before !== undefined) {
    t.equal(await before.ended, 'NOT_OWNER')
    t.ok(before.answered <= seq, `${before.answered} was answered, ${seq} was found`)
  }
  if (seq > 0) t.equal(told(tables.orders), `${seq}`)
  return { client, seq }
}

t.test(
  'F111 an account taken over in the middle of commits, again and again: all that was answered is found, and nothing comes later',
  async (t) => {
    const dataDir = t.testdir()
    const stores = await Promise.all([startStore(dataDir), startStore(dataDir)])
    t.teardown(() => Promise.all(stores.map((store) => store.stop())))
    const bystander = new Busy(...(await bystanderOn(stores[0])))
    let busy: Busy | undefined
    let last = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { client, seq } = await takeOver(t, stores[round % 2] as TestStore, busy)
      t.ok(seq >= last)
      last = seq
      busy = new Busy(client, seq)
      const enough = round % 5
      while (busy.answered < seq + enough * WIDTH) await new Promise(setImmediate)
    }
    const { client, seq } = await takeOver(t, stores[0] as TestStore, busy)
    const journal = await client.range({ table: 'journal', limit: 10_000 })
    const chain = verifyChain(journal.map(({ value }) => decode<StoredEntry>(value)))
    t.match(chain, { ok: true, value: { seq: Math.min(seq, 10_000) } })
    t.ok(bystander.answered > 0, 'and another account went on all the time')
  },
)

async function bystanderOn(store: TestStore | undefined): Promise<[StoreClient, number]> {
  if (store === undefined) throw new Error('no store')
  const client = await store.own('2')
  const { seq } = await client.open([])
  return [client, seq]
}
