import t from 'tap'
import { livesBefore, withLife } from '../../../src/cluster/protocol/lives.ts'

const HERE = ['00:50:56:aa:00:01', '02:42:00:00:00:01']
const COPY = ['00:50:56:bb:00:02']

t.test(
  'a computer has had the lives that its disk keeps, and a copy of it has had none',
  async (t) => {
    const kept = withLife(withLife(undefined, 'one', HERE), 'two', HERE)
    const cases: readonly (readonly [string, readonly string[], readonly string[] | undefined])[] =
      [
        ['the same computer', HERE, ['one', 'two']],
        ['one of its networks is gone', HERE.slice(1), ['one', 'two']],
        ['another one has come', [...HERE, ...COPY], ['one', 'two']],
        ['a copy of it', COPY, []],
        ['its network is not there yet', [], []],
      ]
    for (const [name, adapters, before] of cases) {
      t.strictSame(livesBefore(kept, adapters), before, name)
    }
    t.equal(livesBefore(undefined, HERE), undefined, 'nothing was ever kept')
  },
)

t.test('a copy goes on with its own lives alone', async (t) => {
  const kept = withLife(withLife(undefined, 'one', HERE), 'two', COPY)
  t.strictSame(kept, { lives: ['two'], adapters: COPY })
  t.strictSame(livesBefore(kept, HERE), [])
})

t.test('a start without a network forgets no adapter', async (t) => {
  const kept = withLife(withLife(undefined, 'one', HERE), 'two', [])
  t.strictSame(kept, { lives: ['two'], adapters: HERE })
  const never = withLife(withLife(undefined, 'one', []), 'two', [])
  t.strictSame(livesBefore(never, []), ['one', 'two'])
})

t.test('the newest lives are kept, and no others', async (t) => {
  const all = Array.from({ length: 20 }, (_, at) => `life ${at}`)
  const [first, ...rest] = all
  const begun = withLife(undefined, first ?? '', HERE)
  const kept = rest.reduce((before, inc) => withLife(before, inc, HERE), begun)
  t.strictSame(kept.lives, all.slice(-16))
})
