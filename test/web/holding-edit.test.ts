import t from 'tap'
import { writtenFields } from '../../web/console/holding-edit.ts'

const SHOWN = { high: 10.7, stop: 10.27 }

t.test('what was not written is not sent: it may have moved meanwhile', async (t) => {
  t.strictSame(writtenFields(SHOWN, { high: 10.7, stop: 10 }), { stop_loss_price: 10 })
  t.strictSame(writtenFields(SHOWN, { high: 11, stop: 10.27 }), { highest_price: 11 })
  t.strictSame(writtenFields(SHOWN, { high: 11, stop: 10 }), {
    highest_price: 11,
    stop_loss_price: 10,
  })
  t.strictSame(writtenFields(SHOWN, { ...SHOWN }), {})
})
