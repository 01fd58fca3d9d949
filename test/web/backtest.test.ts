import t from 'tap'
import { begunWith, fitOf, readable } from '../../web/console/backtest.ts'
import { formOf, startBody } from '../../web/console/grid-form.ts'

t.test('a backtest is of its stock and of its parameters, and of nothing else', async (t) => {
  const form = formOf('600036')
  const begun = begunWith('job-1', startBody(form))
  t.equal(fitOf(begun, startBody({ ...form })), 'same')
  t.equal(fitOf(begun, startBody({ ...form, price_interval: 9 })), 'changed')
  t.equal(fitOf(begun, startBody(formOf('601318'))), 'none')
  t.equal(fitOf(undefined, startBody(form)), 'none')
})

t.test('what a browser has kept of one is read as it was, and anything else is none', async (t) => {
  const begun = begunWith('job-1', { stock_code: '600036' })
  t.strictSame(readable(JSON.parse(JSON.stringify(begun))), begun)
  for (const kept of ['job-1', undefined, null, 7, {}, { id: 'job-1' }, { ...begun, id: 1 }]) {
    t.equal(readable(kept), undefined)
  }
})
