import t from 'tap'
import { csvOf } from '../../src/domain/csv.ts'

t.test('a table for a spreadsheet: a mark, text stays text, unknown is --', async (t) => {
  t.equal(csvOf([]), '\uFEFF')
  const rows = [
    ['代码', '盈亏'],
    ['000001', -1.5],
    ['600036', null],
  ]
  t.equal(csvOf(rows), '\uFEFF代码,盈亏\r\n"=""000001""",-1.5\r\n"=""600036""",--\r\n')
})

t.test('nothing in it is a formula, however it begins', async (t) => {
  for (const sign of ['=', '+', '-', '@', '＝', '＋', '－', '＠', ' =', '\t=', '\t']) {
    const [line] = csvOf([[`${sign}1+1`]])
      .slice(1)
      .split('\r\n')
    t.match(line, /^'/, JSON.stringify(sign))
  }
  t.equal(csvOf([['a "b", c']]), '\uFEFF"a ""b"", c"\r\n')
})
