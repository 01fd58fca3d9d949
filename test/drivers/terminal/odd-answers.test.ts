import t from 'tap'
import { Witness } from '../../contract/driver.ts'
import { orderOf } from '../fixtures/paper.ts'
import { driverOf } from './driver-of.ts'

/** At a sidecar or script of another version, which answers what nobody foresaw. */
function witnessOf(answers: Readonly<Record<string, unknown>>, ended?: Error): Witness {
  const call = async (method: string) => ({ ok: true, value: answers[method] })
  const host = {
    listen: () => undefined,
    open: async () => ({ call, ended, welcome: { capabilities: ['barrier'] } }),
  }
  return new Witness(driverOf(host))
}

async function connectedTo(answers: Readonly<Record<string, unknown>>): Promise<Witness> {
  const w = witnessOf(answers)
  await w.connect()
  return w
}

t.test(
  'F339 a report that nobody can read is a fault of its call, and of nothing else',
  async (t) => {
    const odd = [{}, { rows: null }, { rows: 7 }, { rows: [null] }]
    for (const query of odd) {
      const w = await connectedTo({ query })
      for (const what of ['asset', 'positions', 'orders', 'deals'] as const) {
        const { result } = await w.answerTo('queryAnswered', w.send({ kind: 'query', what }))
        t.match(
          result,
          { ok: false, error: { code: 'FAILED' } },
          `${what}: ${JSON.stringify(query)}`,
        )
      }
    }
    const none = await connectedTo({ query: { rows: [] } })
    const asked = none.send({ kind: 'query', what: 'asset' })
    t.match((await none.answerTo('queryAnswered', asked)).result, { ok: false }, 'no row of cash')
  },
)

t.test('F339 nor does one to an order say that it was not taken', async (t) => {
  for (const submit of [{}, { state: 7 }, { state: null, order_id: '1' }]) {
    const w = await connectedTo({ submit })
    const { outcome } = await w.answerTo(
      'submitAnswered',
      w.send({ kind: 'submit', order: orderOf() }),
    )
    t.equal(outcome.kind, 'unknown', JSON.stringify(submit))
  }
})

t.test('F342 a sidecar that ends with its answer to a connect is not connected', async (t) => {
  const w = witnessOf({ connect: {} }, new Error('sidecar: 4 calls never came back'))
  const { result } = await w.answerTo('connectAnswered', w.send({ kind: 'connect' }))
  t.match(result, { ok: false, error: { message: /never came back/ } })
})
