import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const PATH = '/api/fills/12/note'
const put = (port: number, body: unknown, path = PATH) =>
  call(port, path, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const asked = (link: FakeLink) => link.asked.filter(({ kind }) => kind === 'noteFill')

t.test('a note goes to the account without blanks around it, with who asked', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const rows: [note: unknown, expected: unknown, sent: string | null][] = [
    ['按计划减仓', null, '按计划减仓'],
    [' 两行\n的备注 \n', '试仓', '两行\n的备注'],
    ['🚀 ＝1+1 “x” <b>\u202e\u2028', '🚀', '🚀 ＝1+1 “x” <b>\u202e'],
    ['', '试仓', null],
    [' \n\u3000', '试仓', null],
    [null, '试仓', null],
  ]
  for (const [note, expected, sent] of rows) {
    const { status, body } = await put(front.port, { note, expected })
    t.match([status, body], [200, { status: 'success', data: { id: 12, note: sent } }])
    t.match(link.lastAsked, { kind: 'noteFill', fillId: 12, note: sent, expected, source: String })
  }
  await put(front.port, { note: 'a', expected: '' })
  t.match(link.lastAsked, { expected: null }, 'no text is no note')
  const { body } = await put(front.port, { note: 'a', expected: null })
  t.match(body, { is_changed: true, message_zh: '备注已保存', message_en: 'the note is saved' })
  t.match((await put(front.port, { note: null, expected: 'a' })).body, { message: /已删除/ })
  link.answers.noteFill = { note: 'a', isChanged: false }
  t.match(await put(front.port, { note: 'a', expected: 'a' }), {
    status: 200,
    body: { is_changed: false, message: /没有变化/ },
  })
})

t.test('what is wrong is named with its mend, and the account hears nothing of it', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const rows: [body: unknown, field: string, text: RegExp][] = [
    [{}, 'note', /须为文字或 null/],
    [{ note: 'a' }, 'expected', /must be a text or null/],
    [{ expected: null }, 'note', /./],
    [{ note: 5, expected: null }, 'note', /须为文字或 null/],
    [{ note: ['a'], expected: null }, 'note', /须为文字或 null/],
    [{ note: 'a', expected: false }, 'expected', /须为文字或 null/],
    [{ note: 'a\tb', expected: null }, 'note', /除换行外不能含控制字符/],
    [{ note: 'a\r\nb', expected: null }, 'note', /control characters/],
    [{ note: 'a\u0000', expected: null }, 'note', /control characters/],
    [{ note: '\u0085', expected: null }, 'note', /control characters/],
    ['{"note":"half \\ud83d","expected":null}', 'note', /残缺的字符/],
    ['{"note":"a","expected":"\\udc00"}', 'expected', /half of a character/],
    [{ note: 'a', expected: null, more: 1 }, 'body', /more/],
  ]
  for (const [body, field, text] of rows) {
    const refused = await put(front.port, body)
    t.match([refused.status, refused.body['code']], [400, 'VALIDATION'], JSON.stringify(body))
    const { [field]: texts = [] } = refused.body['details'] as Record<string, string[]>
    t.match(texts.join(), text, JSON.stringify(body))
  }
  for (const body of ['[]', '"a"', '{"note":', '']) {
    t.match((await put(front.port, body)).status, 400, body)
  }
  t.strictSame(asked(link), [])
})

t.test('a number that no record bears is 404, and so is one that is none', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  for (const id of ['abc', '-1', '1.5', '1e3', '9'.repeat(16), '%00']) {
    const refused = await put(front.port, { note: 'a', expected: null }, `/api/fills/${id}/note`)
    t.match(refused, { status: 404, body: { code: 'UNKNOWN_FILL' } }, id)
  }
  t.strictSame(asked(link), [])
})

t.test('who is overtaken is told the note that stands there', async (t) => {
  const link = new FakeLink('A')
  const { front } = await directFront(t, link)
  const details = { expected: ['x'], present: ['甲的话'] }
  link.before = () => {
    throw new ServiceError('CONFLICT', '已被他人改为“甲的话” (another one)', details)
  }
  t.match(await put(front.port, { note: 'a', expected: null }), {
    status: 409,
    body: { code: 'CONFLICT', details: { present: ['甲的话'] } },
  })
})

t.test('on the gateway nobody writes it', async (t) => {
  const link = new FakeLink('10000001', 0)
  const { front } = await gatewayFront(t, [link])
  for (const path of ['/api/v1/accounts/10000001/fills/12/note', PATH]) {
    t.equal((await put(front.port, { note: 'a', expected: null }, path)).status, 404, path)
  }
  t.strictSame(asked(link), [])
})
