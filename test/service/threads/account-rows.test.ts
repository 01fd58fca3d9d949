import t from 'tap'
import { ActorBoard, createActorBoard } from '../../../src/runtime/actor-board.ts'
import { createLatencyBoard, LatencyBoard } from '../../../src/runtime/latency-board.ts'
import { createTallyBoard, TallyBoard } from '../../../src/runtime/tally-board.ts'
import { AccountRows } from '../../../src/service/threads/account-rows.ts'

t.test('F999 an account that gets the row of another counts from nothing', async (t) => {
  const board = new ActorBoard(createActorBoard(3))
  const latency = new LatencyBoard(createLatencyBoard(3))
  const tallies = new TallyBoard(createTallyBoard(3, 4), 4)
  const rows = new AccountRows(2, { board, latency, tallies })
  const [one = 0, other = 0] = [rows.take(), rows.take()]
  tallies.row(one).fill(7)
  tallies.row(other).fill(9)
  t.strictSame([...tallies.row(one)], [7, 7, 7, 7], 'a thread that is started anew goes on')
  rows.giveBack(one)
  t.equal(rows.take(), one)
  t.strictSame([...tallies.row(one)], [0, 0, 0, 0])
  t.strictSame([...tallies.row(other)], [9, 9, 9, 9])
})
