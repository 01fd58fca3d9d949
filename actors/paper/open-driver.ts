import type { MessagePort } from 'node:worker_threads'
import { PaperDriver } from '../../src/drivers/paper/client.ts'
import type { PaperFaults } from '../../src/drivers/paper/faults.ts'
import type { PaperCommand, PaperEvent } from '../../src/protocol/paper.ts'
import type { ActorBoard } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'

/** The paper client's own slot on the actor board. */
export const PAPER_SLOT = 0

export interface PaperDriverWiring {
  /** This account's end of the channel to the paper thread. */
  readonly port: MessagePort
  readonly board: ActorBoard
  /** Slot of this account on the actor board. */
  readonly slot: number
  readonly epoch: number
  readonly faults?: PaperFaults
}

/** The driver of an account thread, on the channel that counts its messages for the exact replay. */
export function createPaperDriver({ port, board, slot, epoch, faults }: PaperDriverWiring) {
  return new PaperDriver({
    epoch,
    line: (receive) =>
      new Channel<PaperCommand, PaperEvent>(port, {
        board,
        self: slot,
        peer: PAPER_SLOT,
        receive,
        isBatched: true,
      }),
    ...(faults && { faults }),
  })
}
