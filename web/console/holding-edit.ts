/** What a person may write over of a holding, yuan. */
export interface HoldingEdit {
  readonly high: number
  readonly stop: number
}

/**
 * Only what was written: while the form is open the market may make a new high, and the stop follows it. Sent back as
 * they stood, both would be taken away again.
 *
 * @param shown as it stood when the form was opened
 */
export const writtenFields = (shown: HoldingEdit, written: HoldingEdit) => ({
  ...(written.high !== shown.high && { highest_price: written.high }),
  ...(written.stop !== shown.stop && { stop_loss_price: written.stop }),
})
