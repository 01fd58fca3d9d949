import t from 'tap'
import { createLogger, silentLogger } from '../../src/observability/logger.ts'

function record(level: 'debug' | 'info' | 'warn' | 'error' | 'silent' = 'info') {
  const lines: string[] = []
  const logger = createLogger({ level, name: 'main', write: (line) => lines.push(line) })
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') }
}

t.test('a line is JSON with level, ISO time, name, fields and message', async (t) => {
  const { logger, lines, last } = record()
  logger.info({ urls: ['http://127.0.0.1:5000'] }, 'ready')
  t.match(last(), { level: 'info', name: 'main', urls: ['http://127.0.0.1:5000'], msg: 'ready' })
  t.match(last().time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.equal(lines[0]?.indexOf('\n'), lines[0]?.length ? lines[0].length - 1 : -2)
})

t.test('lines below the level are not written', async (t) => {
  const { logger, lines } = record('warn')
  logger.debug({}, 'd')
  logger.info({}, 'i')
  logger.warn({}, 'w')
  logger.error({}, 'e')
  t.equal(lines.length, 2)
  const silent = record('silent')
  silent.logger.error({}, 'e')
  t.equal(silent.lines.length, 0)
})

t.test('account ids are masked in lines and in child loggers', async (t) => {
  const { logger, last, lines } = record()
  for (const field of ['account', 'account_id', 'accountId']) {
    logger.warn({ [field]: '10000001' }, 'x')
    t.equal(last()[field], '****0001')
  }
  logger.child({ account: '10000002', slot: 3 }).error({ order: 'o' }, 'y')
  t.match(last(), { account: '****0002', slot: 3, order: 'o' })
  logger.info({ account: 7 }, 'a number is no id')
  t.equal(last().account, 7)
  t.notMatch(lines.join(''), /1000000\d/)
})

t.test('tokens are never written', async (t) => {
  const { logger, lines } = record()
  logger.info({ token: 'sesame', gateway: { api_token: 'sesame', port: 1 } }, 'x')
  logger.info({ headers: { 'x-api-token': 'sesame', authorization: 'sesame' } }, 'x')
  logger.child({ apiToken: 'sesame' }).info({}, 'x')
  t.notMatch(lines.join(''), 'sesame')
  t.match(JSON.parse(lines[0] ?? ''), { token: '***', gateway: { api_token: '***', port: 1 } })
})

t.test('an error is written with its stack', async (t) => {
  const { logger, last } = record()
  logger.error({ err: new RangeError('too far') }, 'broken')
  t.match(last().err, { type: 'RangeError', message: 'too far', stack: /logger\.test/ })
})

t.test('the silent logger writes nothing and has silent children', async (t) => {
  for (const level of ['debug', 'info', 'warn', 'error'] as const) silentLogger[level]({}, 'x')
  t.equal(silentLogger.child({ account: 'a' }), silentLogger)
})
