import t from 'tap'
import { shares } from '../../drivers/fixtures/paper.ts'
import { Bench, commands } from '../fixture.ts'
import { placed, pushed, said, timer } from '../play.ts'

const GONE = '未连接交易客户端 (not connected to the trading client)'
const SLOW = '查询无应答 (the trading client gave no list)'

/** An order that is filled by what the client shows, and no deal tells of it. */
function behind(): Bench {
  const bench = new Bench().ready()
  placed(bench)
  bench.input(pushed({ status: 56, filledQuantity: shares(100) }))
  return bench
}

/** One look for its deals, which fails; what the log says of it. */
function look(bench: Bench, message: string): readonly string[] {
  const asked = commands(bench.input(timer('fills')))
  const { callId = 0 } = asked.find((one) => one.kind === 'query') ?? {}
  const result = { ok: false, error: { code: 'FAILED', message } } as const
  const effects = bench.input(said({ kind: 'queryAnswered', callId, what: 'deals', result }))
  return effects.flatMap((effect) => (effect.kind === 'log' ? [effect.message] : []))
}

t.test(
  'F946 a list that is asked for and fails with each look is said once until it comes',
  async (t) => {
    const bench = behind()
    t.same(look(bench, GONE), [`deals not answered: ${GONE}`])
    for (let i = 0; i < 3; i++) t.same(look(bench, GONE), [])
    t.same(look(bench, SLOW), [`deals not answered: ${SLOW}`], 'another reason')
    bench.answerQueries(commands(bench.input(timer('fills'))))
    t.same(look(bench, SLOW), [`deals not answered: ${SLOW}`], 'it had come in between')
  },
)
