import t from 'tap'
import { rehearse } from '../../src/drivers/paper/rehearsal.ts'

t.test(
  'a rehearsal at the counter sells at once and at a later tick, the same each time',
  async (t) => {
    t.equal(rehearse(), 2)
    t.equal(rehearse(), 2, 'and nothing is left of the one before')
  },
)
