import t from 'tap'
import { EngineError } from '../../../src/cluster/nats/engine-error.ts'
import { fullTold } from '../../../src/cluster/nats/full-told.ts'

t.test('servers without room are told now and then, however often they are tried', async (t) => {
  let nowMs = 0
  const told: string[] = []
  const failed = fullTold((text) => void told.push(text), { everyMs: 1_000, nowMs: () => nowMs })
  failed(new EngineError('conflict', 'everyday'))
  failed(new Error('late'))
  t.strictSame(told, [])
  for (; nowMs < 2_500; nowMs += 1) failed(new EngineError('full', `at ${nowMs}`))
  t.strictSame(told, ['at 0', 'at 1000', 'at 2000'])
})
