import { createRouter, createWebHistory } from 'vue-router'
import AccountsScreen from './screens/accounts-screen.vue'

/** Real addresses: the gateway answers an unknown one with the page. */
export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: '/', name: 'accounts', component: AccountsScreen },
    {
      path: '/connection',
      name: 'connection',
      component: () => import('./screens/connection-screen.vue'),
    },
    { path: '/:rest(.*)', redirect: '/' },
  ],
})
