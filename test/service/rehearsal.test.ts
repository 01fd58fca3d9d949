import t from 'tap'
import { get } from './fixture.ts'
import { accountTables, paperTables } from './fixtures/disk.ts'
import { HELD, MONDAY, type Scene, Stage } from './fixtures/ticks.ts'

interface Path {
  readonly path: string
  readonly count: number
}

const KEPT = '600036.SH'
const ACCOUNT = '10000001'
/** A breakout and a pullback that takes the first profit. */
const PRICES = [10.61, 10.7, 10.64, 10.5]
const lines = PRICES.map((lastPrice, index) =>
  JSON.stringify({
    time: Date.parse(`${MONDAY}T09:31:00+08:00`) + index * 3_000,
    stock_code: KEPT,
    lastPrice,
    high: Math.max(lastPrice, 10.7),
    lastClose: 10,
  }),
)

t.test('an account that has rehearsed writes and counts what one that has not does', async (t) => {
  const folders = t.testdir({ 'after-0': {}, 'after-3': {} })
  const played = async (sales: number) => {
    const folder = `${folders}/after-${sales}`
    const scene: Scene = {
      lines,
      positions: [{ ...HELD, stock_code: KEPT }],
      overrides: { limits: { account: { warm_up_sales: sales } } },
    }
    const stage = await Stage.open(t, scene, folder)
    await stage.to()
    const sold = await stage.fills(KEPT)
    const { body } = await get(`${stage.direct}/api/latency`)
    const counts = (body['paths'] as unknown as Path[]).map(({ path, count }) => ({ path, count }))
    await stage.stop()
    const disk = [
      await accountTables(`${folder}/data`, ACCOUNT),
      await paperTables(`${folder}/data`, ACCOUNT),
    ]
    return { sold, counts, disk }
  }
  const plain = await played(0)
  t.ok(plain.sold.length > 0, 'there is a sale')
  const { sold, disk, counts } = await played(3)
  t.strictSame(sold, plain.sold)
  t.strictSame(disk, plain.disk, 'journal, rows and the books of the client to the byte')
  t.strictSame(counts, plain.counts)
})
