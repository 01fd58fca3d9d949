import t, { type Test } from 'tap'
import { type AnswerSurvey, Surveys } from '../../../src/cluster/nats/surveys.ts'
import { encode } from '../../../src/protocol/codec.ts'
import { inTime, turnsUntil } from '../../in-time.ts'
import { openLine } from '../fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const LIMITS = { openMax: 1, bytesMax: 1_000 }
/** Longer than any answer takes: who waits for it has not been answered. */
const LONG_MS = 60_000
const say = (text: string) => async () => Buffer.from(text)
const said = (answers: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries(Array.from(answers, ([node, bytes]) => [node, Buffer.from(bytes).toString()]))

async function desk(t: Test) {
  const [server] = await natsServers(t, { count: 1 })
  const url = server?.url ?? ''
  const line = (node: string) => openLine(t, [url], { inboxPrefix: `_INBOX_${node}` })
  const node = async (name: string, answer: AnswerSurvey) => {
    const own = await line(name)
    const surveys = new Surveys(own, name, LIMITS)
    t.teardown(surveys.serve('metrics', answer))
    await own.connection.flush()
    return surveys
  }
  return { node, line }
}

t.test(
  'a survey is answered by every node, and ends with the last',
  { skip: NO_SERVERS },
  async (t) => {
    const { node } = await desk(t)
    const asker = await node('n1', say('not asked'))
    await node('n2', say('two'))
    await node('n3', say('three'))
    const gathered = asker.gather({ what: 'metrics', expected: ['n2', 'n3'], timeoutMs: LONG_MS })
    t.strictSame(said(await inTime(gathered, 'the answers')), { n2: 'two', n3: 'three' })
    const nobody = asker.gather({ what: 'metrics', expected: [], timeoutMs: LONG_MS })
    t.equal((await inTime(nobody, 'nothing')).size, 0)
  },
)

t.test(
  'who is too late, says too much or fails is not in it, and the others are',
  { skip: NO_SERVERS },
  async (t) => {
    const { node } = await desk(t)
    const asker = await node('n1', say(''))
    await node('n2', say('two'))
    await node('n3', () => new Promise(() => undefined))
    await node('n4', say('x'.repeat(2_000)))
    await node('n5', () => Promise.reject(new Error('has none')))
    const expected = ['n2', 'n3', 'n4', 'n5']
    const answers = await asker.gather({ what: 'metrics', expected, timeoutMs: 500 })
    t.strictSame(said(answers), { n2: 'two' })
  },
)

t.test(
  'what is no survey is not answered, and no more than the limit at a time',
  { skip: NO_SERVERS },
  async (t) => {
    const { node, line } = await desk(t)
    const asked: number[] = []
    const held = Promise.withResolvers<Uint8Array>()
    await node('n2', (timeoutMs) => {
      asked.push(timeoutMs)
      return held.promise
    })
    const stranger = (await line('n9')).connection
    const survey = (timeoutMs: number) => encode({ from: 'n9', timeoutMs })
    const answered: string[] = []
    stranger.subscribe('_INBOX_n9.x', { callback: (_, { subject }) => void answered.push(subject) })
    stranger.publish('q.metrics', Buffer.from('nonsense'), { reply: '_INBOX_n9.x' })
    stranger.publish('q.metrics', survey(1), { reply: 'j.1.10000001' })
    stranger.publish('q.metrics', survey(2))
    stranger.publish('q.metrics', survey(3), { reply: '_INBOX_n9.x' })
    stranger.publish('q.metrics', survey(4), { reply: '_INBOX_n9.x' })
    await stranger.flush()
    await turnsUntil(() => asked.length > 0, 'the survey')
    held.resolve(Buffer.from('told'))
    await turnsUntil(() => answered.length > 0, 'the answer')
    t.strictSame(asked, [3], 'one is worked on at a time')
  },
)
