import type { ItemPicture } from '#app/components/items/item-art.tsx';

/** Real items with Steam's own pictures, for records that are marked as examples. */
type ExampleItem = { name: string; picture: ItemPicture };

/** The common prefix of the icons of weapons and gloves. */
const common = '-9a81dlWLwJ2UUGcVs_nsVtzdOEdtWwKGZZLQHTxDZ7I56KU0Zwwo4NUX4oFJZEHLbXH5ApeO4YmlhxYQknCRvCo04D';

export const anubis: ExampleItem = {
  name: 'AK-47 | Legion of Anubis',
  picture: {
    icon: `${common}EVlxkKgpot7HxfDhjxszJemkV0924gYKChMj5Nr_Yg2YfsZF3i7CUoduhiVLm-hFrMTinItWTcAA9aV_R-1fow-fn0ZK87pXJm2wj5Hdb0mwi-A`,
    rarity: 'covert',
    shape: 'rifle',
  },
};

export const caseHardened: ExampleItem = {
  name: 'AK-47 | Case Hardened',
  picture: {
    icon: `${common}EVlxkKgpot7HxfDhhwszHeDFH6OO7kYSCgvq6Yu-EwzsIuZIj3uiY99WmiwGx_kc9Zjr6JYHBIwM5MFHX-Fi9w-u-1Ij84soNG54bQA`,
    rarity: 'classified',
    shape: 'rifle',
  },
};

export const bloodhound: ExampleItem = {
  name: '★ Bloodhound Gloves | Guerrilla',
  picture: {
    icon: `${common}AR0hwIQFTibipJAhk2_zdfzl969C5goWYqPX4PLTVnmRE5sFOjfzE5578hFi1lB45NzC2eZiScAE5Zl3X-1jvl-_vgcPtvZvOyXNks3Jz4HaInkPlhhEaarQ-06bNVxzAUCgGAjh-`,
    rarity: 'covert',
    shape: 'gloves',
  },
};

export const redline: ExampleItem = {
  name: 'AWP | Redline',
  picture: {
    icon: `${common}EVlxkKgpot621FAR17PLfYQJB496klb-GkvP9JrafwDMHscYm3eqTo9jwigLg_Ec6azj7JNfAcARtNwnR-ATvx-fq0564uoOJlyV-UZdEjg`,
    rarity: 'classified',
    shape: 'sniper',
  },
};
