import t from 'tap'
import { type Notice, withNotice } from '../../web/console/notices.ts'
import type { Fault } from '../../web/shared/fault.ts'

const fault = (code: string) => ({ code, message: code }) as Fault
const after = (...said: readonly Omit<Notice, 'id'>[]): readonly Notice[] =>
  said.reduce<readonly Notice[]>((all, one, id) => withNotice(all, { id, ...one }), [])
const texts = (notices: readonly Notice[]) => notices.map(({ text }) => text)
const DONE = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => ({ text }))

t.test('F330 a fault stays, however much is done after it', async (t) => {
  const refused = { text: 'refused', fault: fault('NOT_CONNECTED') }
  t.strictSame(texts(after(refused, ...DONE)), ['refused', 'c', 'd', 'e', 'f'])
  t.strictSame(texts(after(...DONE, refused)), ['c', 'd', 'e', 'f', 'refused'])
})

t.test('the same fault again is one; of more than a page holds the oldest goes', async (t) => {
  const refused = { text: 'refused', fault: fault('NOT_CONNECTED') }
  t.strictSame(
    after(refused, { text: 'done' }, refused).map(({ id }) => id),
    [1, 2],
  )
  const many = Array.from({ length: 25 }, (_, n) => ({ text: `f${n}`, fault: fault('FAILED') }))
  const shown = texts(after(...many))
  t.equal(shown.length, 20)
  t.equal(shown[0], 'f5')
})

t.test('F623 what stays until it is closed makes no room for what was done', async (t) => {
  const unknown = { text: 'not known whether it was sent', isLasting: true }
  t.strictSame(texts(after(unknown, ...DONE)), [unknown.text, 'c', 'd', 'e', 'f'])
  const refused = { text: 'refused', fault: fault('NOT_CONNECTED') }
  const many = Array.from({ length: 25 }, (_, n) => ({ text: `w${n}`, isLasting: true }))
  const shown = texts(after(refused, ...many))
  t.equal(shown.length, 21)
  t.strictSame(shown.slice(0, 2), ['refused', 'w5'], 'nor for one of another kind')
})

t.test('F639 a fault that comes again is one, and tells of all that it befell', async (t) => {
  const unheard = { text: 'no answer', fault: fault('') }
  const [a, b] = [['cancel a'], ['cancel b']]
  const [one, ...more] = after({ ...unheard, what: a }, { ...unheard, what: b }, DONE[0] ?? unheard)
  t.equal(more.length, 1)
  t.strictSame(one?.what, [...a, ...b])
  const again = after({ ...unheard, what: a }, { ...unheard, what: a })
  t.strictSame(again[0]?.what, a)
  const other = after({ ...unheard, what: a }, unheard)
  t.equal(other.length, 2, 'what has no name is not said of those that have one')
})

t.test('F771 a fault that befell more grows where it stands, and is no new one', async (t) => {
  const unheard = { text: 'no answer', fault: fault('') }
  const [a, b] = [['cancel a'], ['cancel b']]
  const later = { text: 'no answer', fault: { ...fault(''), requestId: '2' } }
  const grown = after({ ...unheard, what: a }, { text: 'done' }, { ...later, what: b })
  t.match(grown, [{ id: 0, what: [...a, ...b], fault: unheard.fault }, { id: 1 }])
  t.equal(grown[0]?.fault, unheard.fault, 'nothing else of it changes')
  const again = after({ ...unheard, what: a }, { text: 'done' }, { ...later, what: a })
  t.match(again, [{ id: 1 }, { id: 2, what: a }])
})
