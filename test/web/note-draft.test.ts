import t from 'tap'
import { noteKey, wantedNote } from '../../web/console/note-draft.ts'

t.test('what is sent is what was meant: blanks for pasted tabs, nothing for blanks', async (t) => {
  const table: [text: string, sent: string | null][] = [
    ['按计划', '按计划'],
    [' 两行\n 的 \n', '两行\n 的'],
    ['一\t二\r\n三\u0000', '一 二\n三'],
    ['', null],
    [' \n\u3000', null],
  ]
  for (const [text, sent] of table) t.equal(wantedNote(text), sent, JSON.stringify(text))
})

t.test('Enter saves, but not the one that takes over a word of an input method', async (t) => {
  const key = { key: 'Enter', shiftKey: false, isComposing: false, keyCode: 13 }
  t.equal(noteKey(key), 'save')
  t.equal(noteKey({ ...key, shiftKey: true }), undefined, 'a further line')
  t.equal(noteKey({ ...key, isComposing: true }), undefined)
  t.equal(noteKey({ ...key, keyCode: 229 }), undefined, 'as Safari tells it')
  t.equal(noteKey({ ...key, key: 'Escape', keyCode: 27 }), 'leave')
  t.equal(noteKey({ ...key, key: 'Escape', isComposing: true }), undefined, 'leaves the word only')
  t.equal(noteKey({ ...key, key: 'a', keyCode: 65 }), undefined)
})
