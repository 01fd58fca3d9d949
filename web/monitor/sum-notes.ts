import type { AccountSum } from '../shared/sums.ts'
import { t } from './texts.ts'

/** Of how many a sum is, where it is not of all, or not of now. */
export function sumNotes(of: AccountSum): readonly string[] {
  const { all, known, simulated, old } = of
  return [
    ...(known < all ? [t('sum.known', { known, all })] : []),
    ...(of.isSimulation ? [t('sum.allSimulated')] : []),
    ...(simulated > 0 ? [t('sum.simulated', { n: simulated })] : []),
    ...(old > 0 ? [t('sum.old', { n: old })] : []),
  ]
}
