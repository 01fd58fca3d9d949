import t from 'tap'
import { mustHold } from './fixtures/part.ts'

t.test(
  'whatever breaks: one order per client id, each deal booked once, nothing lost, both books equal',
  { timeout: 1_800_000 },
  (t) => mustHold(t, 'first'),
)
