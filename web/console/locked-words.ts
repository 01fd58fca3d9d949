import { shares } from '../shared/format.ts'
import type { Locked } from './locked.ts'
import { t } from './texts.ts'

/** Why shares may not be sold now; empty where all of them may. */
export const lockedText = ({ onSale, other }: Locked): string =>
  [
    ...(onSale > 0 ? [t('positions.onSale', { n: shares(onSale) })] : []),
    ...(other > 0 ? [t('positions.boughtToday', { n: shares(other) })] : []),
  ].join(' ')
