import t from 'tap'
import { nextTick, ref, shallowRef } from 'vue'
import { type Part, useOlderPages } from '../../web/shared/older-pages.ts'

interface Row {
  readonly id: number
}
const partOf = (ids: readonly number[], next: string | null): Part<Row> => ({
  rows: ids.map((id) => ({ id })),
  next,
})

/** A list of which older pages are answered when they are told to. */
function slowList({ sorted = false } = {}) {
  const newest = shallowRef<Part<Row> | undefined>(partOf([9, 8], '8'))
  const question = ref('July')
  const asked: { before: string; end: PromiseWithResolvers<Part<Row>> }[] = []
  const list = useOlderPages<Row>({
    newest,
    question,
    read: (before) => {
      const end = Promise.withResolvers<Part<Row>>()
      asked.push({ before, end })
      return end.promise
    },
    isSorted: ref(sorted),
  })
  const ids = () => list.rows.map(({ id }) => id)
  /** Another question, and its newest page. */
  const turn = async (to: string, part: Part<Row>): Promise<void> => {
    question.value = to
    newest.value = undefined
    await nextTick()
    newest.value = part
    await nextTick()
  }
  return { list, asked, ids, turn }
}

t.test(
  'F521 a page of the list before neither keeps this one waiting nor comes into it',
  async (t) => {
    const { list, asked, ids, turn } = slowList({ sorted: true })
    void list.more()
    await turn('August', partOf([29, 28], '28'))
    t.strictSame(
      asked.map(({ before }) => before),
      ['8', '28'],
      'an order over all rows asks for the rest at once',
    )
    asked[0]?.end.resolve(partOf([7, 6], null))
    await asked[0]?.end.promise
    await nextTick()
    t.ok(list.isReading, 'that of now is still on its way')
    asked[1]?.end.resolve(partOf([27], null))
    await asked[1]?.end.promise
    await nextTick()
    t.strictSame(ids(), [29, 28, 27])
    t.notOk(list.isReading)
  },
)

t.test('F521 a page of the list before that fails is no fault of this one', async (t) => {
  const { list, asked, turn } = slowList()
  const before = list.more()
  await turn('August', partOf([29, 28], '28'))
  asked[0]?.end.reject(new Error('too late'))
  await before
  t.equal(list.fault, undefined)
  const now = list.more()
  asked[1]?.end.reject(new Error('down'))
  await now
  t.not(list.fault, undefined)
  t.notOk(list.isReading)
})

t.test(
  'F521 a list that was left and is asked for anew gets nothing of the first time',
  async (t) => {
    const { list, asked, ids, turn } = slowList()
    const first = list.more()
    await turn('August', partOf([29], null))
    await turn('July', partOf([9, 8], '8'))
    asked[0]?.end.resolve(partOf([7], null))
    await first
    t.strictSame(ids(), [9, 8])
    t.equal(list.next, '8')
  },
)
