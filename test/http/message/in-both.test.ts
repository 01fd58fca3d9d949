import t from 'tap'
import { errorReply } from '../../../http/message/errors.ts'
import { describeBoth, withBoth } from '../../../http/message/in-both.ts'
import { ServiceError } from '../../../src/domain/errors.ts'

const decoder = new TextDecoder()

t.test('an answer keeps its message, with each language beside it', async (t) => {
  t.strictSame(withBoth({ message: '已停用 (off)', enabled: false }), {
    message: '已停用 (off)',
    enabled: false,
    message_zh: '已停用',
    message_en: 'off',
  })
  const silent = { enabled: false }
  t.equal(withBoth(silent), silent)
})

t.test('a refusal is told in both languages and in each alone', async (t) => {
  const error = new ServiceError(
    'KILL_SWITCH',
    '急停生效：“吃饭 (noon)” (the kill switch is at all)',
  )
  const told = errorReply(error, { backend: 'direct', nowMs: 0, retryAfterSeconds: 1 })
  const body = JSON.parse(typeof told.body === 'string' ? told.body : decoder.decode(told.body))
  t.match(body, {
    error: error.message,
    message: error.message,
    detail: error.message,
    message_zh: '急停生效：“吃饭 (noon)”',
    message_en: 'the kill switch is at all: “吃饭 (noon)”',
  })
})

t.test('the description names them where there is a message', async (t) => {
  const schema = { properties: { message: { type: 'string' } } }
  describeBoth(schema)
  t.strictSame(Object.keys(schema.properties), ['message', 'message_zh', 'message_en'])
  const other = { properties: { message: { type: 'integer' } } }
  describeBoth(other)
  t.strictSame(Object.keys(other.properties), ['message'])
})
