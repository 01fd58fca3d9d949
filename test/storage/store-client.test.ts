import t from 'tap'
import { ServiceError } from '../../src/domain/errors.ts'
import type { Line } from '../../src/ports/transport.port.ts'
import type { StoreRequest } from '../../src/protocol/store.ts'
import { StoreClient } from '../../src/storage/store-client.ts'
import { entry } from './fixtures/store-thread.ts'

const commit = { entries: [entry(1)], changes: [] }
const limits = { readTimeoutMs: 1_000, openTimeoutMs: 1_000, commitTimeoutMs: 5 }
const lineOf = (answer: (request: StoreRequest) => Promise<unknown>): Line => ({
  ask: <T>(body: unknown) => answer(body as StoreRequest) as Promise<T>,
})

t.test('a commit that is never answered fails, and so does every one after it', async (t) => {
  let asked = 0
  const line = lineOf(() => {
    asked++
    return new Promise(() => undefined)
  })
  const client = new StoreClient(line, limits)
  const expired = { code: 'STORE_FAILED', message: /not answered a commit for 5 ms/ }
  await t.rejects(client.commit(commit), expired)
  await t.rejects(client.commit(commit), expired)
  t.equal(asked, 1, 'nothing more is sent')
})

t.test(
  'F685 a commit is not lost while the disk stands still, however long that takes',
  async (t) => {
    let looks = 0
    const written = Promise.withResolvers<null>()
    const client = new StoreClient(
      lineOf(() => written.promise),
      limits,
      undefined,
      () => {
        looks++
        if (looks === 50) written.resolve(null) // long after its time
        return true
      },
    )
    await t.resolves(client.commit(commit))
  },
)

t.test('F685 it is once the disk answers again, and the commit does not come', async (t) => {
  let looks = 0
  const client = new StoreClient(
    lineOf(() => new Promise(() => undefined)),
    limits,
    undefined,
    () => ++looks <= 50,
  )
  await t.rejects(client.commit(commit), { code: 'STORE_FAILED' })
  t.ok(looks >= 60, 'it has all its time from then on')
})

t.test('a commit that was sent after a failed one fails too, whatever its answer', async (t) => {
  const answers = [Promise.reject(new ServiceError('INTERNAL', 'a gap')), Promise.resolve(null)]
  const client = new StoreClient(
    lineOf(() => answers.shift() ?? Promise.reject()),
    limits,
  )
  const [first, second] = await Promise.allSettled([client.commit(commit), client.commit(commit)])
  t.match(first, { status: 'rejected', reason: { code: 'INTERNAL' } })
  t.match(second, { status: 'rejected', reason: { code: 'INTERNAL' } })
})

t.test('commits carry the epoch that open told', async (t) => {
  const seen: StoreRequest[] = []
  const line = lineOf(async (request) => {
    seen.push(request)
    return { epoch: 7, seq: 0, tables: {} }
  })
  const client = new StoreClient(line, limits)
  await client.open([])
  await client.commit(commit)
  t.match(seen, [{ kind: 'open' }, { kind: 'commit', epoch: 7 }])
})

t.test('an error that is no ServiceError becomes one', async (t) => {
  const client = new StoreClient(
    lineOf(() => Promise.reject(new Error('port gone'))),
    limits,
  )
  await t.rejects(client.commit(commit), { code: 'STORE_FAILED' })
})
