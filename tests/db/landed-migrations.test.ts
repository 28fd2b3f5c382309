import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * A landed migration may have run on somebody's database, so it is never edited: changes go into a new one, whose line
 * is added here.
 */
const landed = {
  'postgres/0000_initial.sql': 'dc23827c9cf4812b4325b09b76ccf322b47b0ee49f84ed9ff5ce155621b903ed',
  'postgres/0001_lists_over_rules.sql': '4ec3daa56822d8809788f901e37412a346904ac3ea43a514024f18c6e5b9c9a0',
  'postgres/0002_numbers_by_day.sql': '80291b8e4457b13a1ed420a8c61980aac6d64e752c9307cc1886f7ca172885a8',
  'postgres/0003_attached_rewards.sql': '46c815524057e21f9f808f0dc502995e1a59dd4f15aa18c91d58108c67d695b9',
  'postgres/0004_unknown_assets.sql': 'e08f97b22799dade31f8507ac5b8ea5f696a521ee0918c75d97fc9d6d0760fe9',
  'postgres/0005_subscriptions.sql': '89bf431c2c81d2fef071d5dc7e9efdbfcbb80284e8ae533dd9792eadc8925448',
  'postgres/0006_batches_and_traits.sql': '736c734e52ae6a1e1adc4567d5e9afb9868a99109e16c6a7ae9732e6de0b69f9',
  'postgres/0007_mail_preferences.sql': '73b55c7fab46b2c8afe4aed376a69c2f5ca8da7b1b2f7cff2213c45819bd76f6',
  'postgres/0008_custody_drifts.sql': 'a08b680b0fbdeed687e2f2e6b98ead9474bee899babf7e02a7f2acce98261ee3',
  'postgres/0009_checkouts_of_a_user.sql': 'b2179dcc1057a972afa9b6b8c6b2319312d445624ce0238c0ccf80b6f35d1203',
  'postgres/0010_broadcaster_type.sql': 'bbe133c7a750ee2487925a9b9890db0b4ee1b2824a4a625a09d54fce8df3f1d2',
  'postgres/0011_bot_profiles.sql': '6c6f6f5f3d6f2dd583027b9f596823e34f8488dbb2503412da50d25310381141',
  'postgres/0012_prices_and_alarms.sql': 'd5003cd126b218aa9e24f3b8e92f5d7d60230e0e0dec72fd05e4d9d893ddaab9',
  'postgres/0013_wear_of_assets.sql': 'fcecb4a5389afe7fa7b51f973d8c4f92e73669a2ae3f73478bac926b66128809',
  'postgres/0014_follow_readings.sql': 'e6ea7dc612795dfab7da58805a6e9a72c2b1660540eacd14009c9a5daf6d481d',
  'postgres/0015_confirmed_sessions.sql': '524c76e08597ab99d29c03e326b66eeee74221b58c93bb2e2f910a533256a40a',
  'postgres/0016_viewer_gaps.sql': '388f4115878a77c626147ffa962953aad634e5806d89af4cfc3c57ee01b5e17c',
  'postgres/0017_sending_stops.sql': 'a9a876151c1c48c90c002cfe390931ed0a35ba340fc0db2178d5e9ebd55b4ad7',
  'postgres/0018_chat_faults.sql': '68ab61f35b5746745c07699ca590f494b1229e15f97a7f03c33cb899ded94566',
  'postgres/0019_missing_accounts.sql': '2f1281c6db08de03a1a53cc6e1b8bb1e259bfc01ad91433a4749c4de48e779c2',
  'postgres/0020_removed_trade_tokens.sql':
    '37d2887ae47fdab1a3cccd385dde4b8b05e096f994f72231e10e069a6c1e3f53',
  'postgres/0021_second_factors.sql': '8fc869589f378e80916941ab236f42c3d5951291b89ec7b3a3bcb471dffbe56b',
  'postgres/0022_pool_changes.sql': 'a1ba7a948cdc5631aef83ad21a0d24cd8b8d179f80bcd3792f66b27e4dc3ab81',
  'postgres/0023_setups_of_sessions.sql': 'cda3c8676f550dc3f5654b522a53aee516d41680958c2c67fe6b1be4dff217ce',
  'postgres/0024_passkeys.sql': '328911a00fce0769ee9f525e80064a8ffffa8b473c6a6cec95be5b992b8c1cb3',
  'postgres/0025_counted_changes.sql': '22af54cec767065904d184e951127c2c5c81c95b501186ae48e90986c9838b45',
  'postgres/0026_unrolled_time.sql': 'f9b749dbc17d4c0180de000be56d041cc34717730b04e89e552d381cb7837745',
  'postgres/0027_counted_endings.sql': '6d31b8e7b6315e45a9fde75e516b6f070e02933cc51e6d04a7b12b07135ccaa1',
  'postgres/0028_learned_kinds.sql': '24f3be37513f1caa51bbb7819e561a0e580aef0daaa6f5aa6d8fcd9696aee4d3',
  'postgres/0029_live_transfers_by_id.sql':
    'b35ecb38ca00284c3b8176bb528e6c8c7ff0515ffab91c815170057b14bb39c6',
  'postgres/0030_sums_of_open_day.sql': '837fb3cdc2f68b6e4e7c7858dc707ff07385a8743566f373666d3bcc42d44687',
  'postgres/0031_replaced_tokens.sql': '419c7927e24cdf23ec9bd4a7a0a9d2310c7cee211b6b5b1a8892bb254d2c948f',
  'postgres/0032_stopped_claims.sql': '12f5144727ae3cbc66a78a89eab33d44b6c832137b238465c37b05077a008a98',
  'postgres/0033_paid_until.sql': '59ea4488fde599776ba1c75ef7122f64ca9ade001015c9002174f3e3818db47a',
  'postgres/0034_disown_links.sql': 'dded309d5f6e41ae84694950a32c58f4ad4a8df60f33dc0ffc2033bf63f216aa',
  'postgres/0035_send_delay.sql': '2b8124290afb8431e6fa6ce35768b62d572c425b337c8181c2f6be7248f9ab48',
  'postgres/0036_next_charges.sql': 'd6d176f38d6a7fe4d8aeedba540eaf951a3c5344c43478c7d34d1ce38d5df465',
  'postgres/0037_billing_acts.sql': '8fe52bc530d06de610ea423365b2afe1fd6dbc5037b6896a101a19a349d10617',
  'postgres/0038_freezes.sql': 'd46ae792f220d4e8e776bdc39eb6849bb318261fe4848203ac1a0aee812321f6',
  'postgres/0039_given_back.sql': 'ee6700b6ba45dca8cf52b139a3bab22803aa57af5dc1826d8bcdacc4aef75972',
  'postgres/0040_account_pauses.sql': '946c00d28472973be5c8aa88bed996f913990372351948604347f9bb71773372',
  'postgres/0041_attended_streams.sql': 'e1b4c33ff4770b89d059fcba29b3b62373a42382693c8073f98161d271b378d1',
  'postgres/0042_asked_streams.sql': 'e6b7c6ddfeb354a26041105cdfcee4440808a21a40b158fbf5bd097764f04fa8',
  'postgres/0043_absence.sql': 'c1962d10006ab369def51d9257e13d3f817b293880e1543974cb87c382a5a035',
  'postgres/0044_promises_of_accounts.sql':
    'ad2ef10d0e0ddeba948aaafd37aeea0a0d81a99d20d83e96221535fba9978f9c',
  'postgres/0045_odd_answers.sql': '51387bb218994b7cd015a1be3417a0321100719fd2c1f39fb4fc01c0737f53c3',
  'postgres/0046_presence_in_chat.sql': 'dcbb4dfb75ae15b039575a7a208efb1cba3faa4b970a1651526a92b772ab16ae',
  'postgres/0047_game_capacities.sql': '16175a7e652c12245689b5266c32832d3a30d2af437a4dc3a6dfd8d186351e76',
  'postgres/0048_rule_corrections.sql': 'fcc5b5f51601a5ed7eb9abad0d43b42a8266d286e08f234b7cba57149719510d',
  'postgres/0049_self_tests.sql': '83f5c61f525e71d5bea0b53ea662715fbcd9f573e341ee7060b014c8e7222161',
  'postgres/0050_win_seen.sql': 'f13eb246b6927505c31bdc86929226d864bb4717ebfef88421d5bbb00b6fadf3',
  'postgres/0051_rule_lines.sql': 'd9bf915471efa486556efad7f1d506576c3e8e8a17cf43b3fd5d7eb6700db1e7',
  'postgres/0052_rule_successors.sql': '17f6794c71a5ad9043ac23033985ee42c3bb52aaf823134d363577538fb2fa5e',
  'postgres/0053_unclear_transfers.sql': 'c2c3ef0600e35393e6d7a6152f990edd3bbea56125fba100f381daaea17d294e',
  'postgres/0054_channel_chat.sql': 'f996ab8f0480715c2ea3a74569facad401c9323079982fbcef6f3147d3e55ce2',
  'postgres/0055_rule_pauses.sql': '29e5c84b43ad0a37bb6744395fcd06327708f33b8e0504728dd0d5fe0949505c',
  'postgres/0056_list_checks.sql': '904f2d7737e6b3ad2c2b56fe8fab2914ab93aaa9eb8711f1282bdbe3ec4db0b3',
  'postgres/0057_troubled_channels.sql': '78aec66527ac793433b79e80db4a01058b2ccc643324441bb6c573e3c66d4dd5',
  'postgres/0058_stack_amounts.sql': 'b231ccd7e12950dea5ab6297de9c47c33452b0c5d1b8bb570b312474a52f7043',
  'postgres/0059_leases.sql': '53027f49a9a36e0b03d98f4e103968ba0afb2fb6e4be1af379abdcab44441e04',
  'postgres/0060_presence_intervals.sql': '06d8b11ac60c26b193246e00a6563d7a8d75bff67894dedf15c9f6d35346eada',
  'postgres/0061_trait_icons.sql': '699882f03959f4dfd39ac1686149661528db6820af647c007dfd7253f5c44278',
  'postgres/0062_shared_work.sql': 'c927637c915473a72d46e9a50397d8cf8f4c2781738b3a009f5673e07069aee4',
  'postgres/0064_push.sql': '0a1e9b93ac3bdf611756b252e26e8e74645bcf3f3078a8bfc3a0162ae57d51c6',
  'postgres/0065_raffles.sql': 'fd70c57914781f1eb0677ec43c4d485f1427b005f0fb3882740dd3339074c9dc',
  'postgres/0066_overlays.sql': 'ec0744612ffdee78bf32f125d0e88e9f08a91f9a637e59ca615769d2417b12bf',
  'postgres/0067_short_lists.sql': 'efa316870a21c2839e1ba95a674a2615647fbf36d70c3a576fde8c8deeaed051',
  'postgres/0069_closed_rules_ask_nothing.sql':
    '9b253982cdd70a9baeaa7a36bac3bd78a0eba12f4536096433ea326eed1e81e9',
  'postgres/0070_access_requests.sql': 'c7c986c65a2dacb3a3c14e1984e6aa2ae2d2e6af6a902d025a97c7631d83bd95',
  'postgres/0071_channel_changes.sql': 'b5c327343f7c6b551cd6e7a09a741cca148f6e91d1cafbef84001089f47bd307',
  'postgres/0072_processes.sql': '4ae693ee4e9c1ef52ef42c3b6959028e484ff62e0ceacef154c4cc2aca8b919e',
  'postgres/0073_process_roles.sql': 'de71bf37533b12215a7e22773b742a26842cf810587134d304449c1fb995c1cb',
  'sqlite/0000_initial.sql': '003045275a9248f53f4fc548511966b563c6ddef69679b5f21bf93399d97b12f',
  'sqlite/0001_lists_over_rules.sql': 'b8518ff559594c09d3512aeea33fab668ef53c39dba74e553a5906d9e3901601',
  'sqlite/0002_numbers_by_day.sql': 'ef41cd4e2f03a2d27c16ff16bf549af167bbf068a2d34ad74fee4496881a9772',
  'sqlite/0003_attached_rewards.sql': '388acddc88dac9804d9e0d82477418b499a7ffc0e4399e9c30b0ca863f146d17',
  'sqlite/0004_unknown_assets.sql': 'e708f7f79d7ae856681a263b5302ac969d023c115800457f08d3a628a85456a0',
  'sqlite/0005_subscriptions.sql': '4b7c760827298d4ba14bcef53c4c8ae105643035679b65e7888993efe99a6da2',
  'sqlite/0006_batches_and_traits.sql': '49ade7edf0dbbfd8e47d4d02812a755addce385f7db274def6e28a754d5494e7',
  'sqlite/0007_mail_preferences.sql': '94b430a3dfa1b7203d822ed7277e0bceae212284429a37863a591a80a034e12e',
  'sqlite/0008_custody_drifts.sql': 'a44500f6ade7c92033e57e69428504757cf0856309ccba704c14c955828485ee',
  'sqlite/0009_checkouts_of_a_user.sql': 'cf9547dbf872a50388edcd44e1fc529b6f6671ae375831af9bc1188c4fb6d6d8',
  'sqlite/0010_broadcaster_type.sql': '7b9ad0c8a54702d90e1bb6f880a61eb770a0f76d73dc368ba7f80153e2ac0bd5',
  'sqlite/0011_bot_profiles.sql': '66292afcb46b01c02638d74c5f384ecf88ccf0ebd7a9be526d3a0296e920b336',
  'sqlite/0012_prices_and_alarms.sql': '31529c13a19118321b4f27d2b49d7f3f405b14a7fa157aabe5bba8d15546c6ff',
  'sqlite/0013_wear_of_assets.sql': '5fa701e188e566de3acda075150d3378a823751c4f47d41fb23ab1300d0a8e19',
  'sqlite/0014_follow_readings.sql': '3d74a04fe26a5aa2fb99d34f7d0233614979f3e1ce1f11f9ff8acb9f14001f49',
  'sqlite/0015_confirmed_sessions.sql': 'c44a882c97b8fae111d5be7750a536a9b71ffa01911d4d1794281a9c8624c0e7',
  'sqlite/0016_viewer_gaps.sql': 'a08a92c5ed3c11987bf16462aa1bd7711f01a6d1e9cc7f9642cf3f4d85f8b750',
  'sqlite/0017_sending_stops.sql': '09a4ea3a9b008ea4a264e70507350afeffd239dd8942a136e5b2bd4c9f468086',
  'sqlite/0018_chat_faults.sql': '607c3008c4672648ce9d2a04f5b9517eb60b3e522fac95e80bc6cb3599b77078',
  'sqlite/0019_missing_accounts.sql': '0a8f25a696de0e4b59b492bfb15cd08622ddfda4e344495b8eb7578fb9ef0d12',
  'sqlite/0020_removed_trade_tokens.sql': '37d2887ae47fdab1a3cccd385dde4b8b05e096f994f72231e10e069a6c1e3f53',
  'sqlite/0021_second_factors.sql': 'b9ff31703cd6f2ca25eb7489db1bdaaef4ce063f51d11dc3e51ab24672769188',
  'sqlite/0022_pool_changes.sql': '66ed892fa12e67bdfdb4a5430825696714dfe05df26d7c9828cf4e7a19cf3a5f',
  'sqlite/0023_setups_of_sessions.sql': '2ab73bbdcf8b45d7fa936e47560eee8988dbed36cc4d969df14d5989e3eb9855',
  'sqlite/0024_passkeys.sql': 'e3b46cf8ccff1bae5332a7c419601c79af4abffa92fb720b75642e436b63239c',
  'sqlite/0025_counted_changes.sql': 'c6f0a6650d0cd6bcb7c2f524b9a56c4b4b6cb5a075e7eab3a8fbb13cb89625e2',
  'sqlite/0026_unrolled_time.sql': 'e7967758d245f5b9de6518d53681d1516d943b767163fe3b65fc5b4ba714f506',
  'sqlite/0027_counted_endings.sql': 'ea6ccedfc768c191f5f52e26be0ee3416e1cee5988ab73847334371abf6c3a7c',
  'sqlite/0028_learned_kinds.sql': '5f87bf8b7983d7d638c1c33721463600753400145ba7434fe25d2defc1fc33cb',
  'sqlite/0029_live_transfers_by_id.sql': '86a63225991ad938c6f6be8e8aa7ceb3125abcda8179d9c0c2117eb4fdffefeb',
  'sqlite/0030_sums_of_open_day.sql': '335e07702abb19102b1e041e06179eddefb1fb3e16a67cadcba62b86cbb32c9e',
  'sqlite/0031_replaced_tokens.sql': '91e160b70d7403a5c168cca43143423949db799778cad3bf7c41a05343d36585',
  'sqlite/0032_stopped_claims.sql': '64ae871f3eb61d7a1bd24a94213b88104fc503bbb35d1c502258d9e84ce0d2d4',
  'sqlite/0033_paid_until.sql': '6bab84456f1693703b3587088b0654c882957e6eda71f6cd9ca29eeb0040ab8b',
  'sqlite/0034_disown_links.sql': '1a7f89f8f9ea69a90f9f45167ef5f0cc5b00902865e432a5f47a29eacb57b774',
  'sqlite/0035_send_delay.sql': '7f7dabc38f3368496d5948cd3734e2705fbf09c23a2b646d35624480dbd23a53',
  'sqlite/0036_next_charges.sql': 'fddbb9fee1c77bb7870d6faecb84faaaef9f296822cfa4a5cdb470031c3ea05f',
  'sqlite/0037_billing_acts.sql': 'bcf11d6fd4b4f0b835d757721e3f6a6308b7a14936eff7b13b68fc3b178c00ae',
  'sqlite/0038_freezes.sql': '0fc8065516af55acf5fee0e1a9362dad18a5e2b9b78e8f24d3cd15e395ceafef',
  'sqlite/0039_given_back.sql': '695c0293fe0cde6c243ba0d7be5cbbfe72f9ed8e0c5a96e8d86eb463a1d6812b',
  'sqlite/0040_account_pauses.sql': '3ebc394d3524dda345da0cb874e6fec267cff1f07dbf50d13fa5aae3ad1eb5a5',
  'sqlite/0041_attended_streams.sql': '8b909e33c02ac31a30679ca29e8ba012c6f48301569f67ba88289e20cbc1bfdd',
  'sqlite/0042_asked_streams.sql': '7c950db0b7b8bed48ff92a90054dff7579e68b49985bcd3c1bf220516c626dc0',
  'sqlite/0043_absence.sql': 'f8a481048fe54920cb4ae8808048ab96847289ee9bc8dfb1fa6af35475a5055e',
  'sqlite/0044_promises_of_accounts.sql': '9f21e5eda4081966536215d1b2ecf4df66164bad081d96ec92bab0b5c05c5bc1',
  'sqlite/0045_odd_answers.sql': '9e85979ee20b04ce0cd6449fa75be086c3f754c2be8cc7fb9e59efcb90406d56',
  'sqlite/0046_presence_in_chat.sql': 'cfa2b3fe0fac1c379633e859175bd3f5d28a4572000e632ab29ecc239ea365ab',
  'sqlite/0047_game_capacities.sql': 'd1dcd02927be85b685b0f4bc1da9ed99562e322c0240512c623d2bf39f47dcc4',
  'sqlite/0048_rule_corrections.sql': 'acb53a6dc8e239e3c74d4edbe783f2aafc673b38430b088ef90c502536963df5',
  'sqlite/0049_self_tests.sql': 'b8ba5820642f75c9e8e97e07a70f0023273eaa407c50169e3f179f4b4db42113',
  'sqlite/0050_win_seen.sql': 'e2494299579b62e70967a3d1fc255ca53c0d56aee3d591550a5f254a8fb350b3',
  'sqlite/0051_rule_lines.sql': 'f425b7ca33f059a22eb09667aa58375abab8f312e86dac70684809a3d351e44f',
  'sqlite/0052_rule_successors.sql': 'b606abe9c7ea42aa76e283a0bc11e925a984bf9f783d21d37b3f748785c29321',
  'sqlite/0053_unclear_transfers.sql': '2e173ccb523b1930346b93ca1ef7e9ec888556e4712129594fd8862d8ea38989',
  'sqlite/0054_channel_chat.sql': '832692a23362919e9c88e2d8e77208248a374de5bdb4a85a97eb5fc7b9971332',
  'sqlite/0055_rule_pauses.sql': '540f8f5eb24c52f8a729d3edc871fcfd1bc073fb395d043ca04c9c16f69253b1',
  'sqlite/0056_list_checks.sql': 'cde1a9fe306dd17149e67181135ff6db1a0bc04c1b52c6f6114b0eef24be144c',
  'sqlite/0057_troubled_channels.sql': 'f676b6562f2977fd96f6b19fb1f4c6e3d81b71de0fa6411854417c3037017be5',
  'sqlite/0058_stack_amounts.sql': '236662596ed519ec8c36dff27de4adbb82fa22db2009e974bce1382d8e322f7b',
  'sqlite/0059_leases.sql': 'bd977ac72e8199ea88be49a7a7fe094b39a8b7e1cdd594aba71131495b94467e',
  'sqlite/0060_presence_intervals.sql': '51d9fe38379cdc1b2989f71a3f1d313fc275eb12114399b14f4b80e28d7035ba',
  'sqlite/0061_trait_icons.sql': 'c98500e4b4612ff31720c39be6d7ad1639beed52c6e82a21c0c94c2b52e076cd',
  'sqlite/0062_shared_work.sql': 'b6b92f5ece3717a9dcba3c89a97b3abe9fb8fd81b3d4ce5b270c67c10e120e86',
  'sqlite/0064_push.sql': '31930a6b371f1400aec69eff6dc1327e413f789d958c91caf1a9ae72be0d26a8',
  'sqlite/0065_raffles.sql': '2cfd75089cf52fdd4750ca929e1c7247b2c6dacda8825ff8af9dd39872fbe16e',
  'sqlite/0066_overlays.sql': 'a0b2ac5196a26e49b838f203c8899f4aea483d75d9ecf2b19c0069a04bae43bc',
  'sqlite/0067_short_lists.sql': '6a5702c46c05caa72127d0ee5232610af6136773cdc8ffe144545d224c158159',
  'sqlite/0069_closed_rules_ask_nothing.sql':
    'f7c97304d3c847c51d1cf9fae1ac1cfaecab841de0a0cceefde188a97ec7580a',
  'sqlite/0070_access_requests.sql': '1a83054ca631c7eb27e28de78c1bbbfddd8a25df71de33b17df1082508c5fdfb',
  'sqlite/0071_channel_changes.sql': '680a81468a4bebab57754a5d6651c007ee8adc6f121d8d93fa4a36f1f6605585',
  'sqlite/0072_processes.sql': 'e9e4365ec59a6b1214b3605b74e7357c2fc56be84f5677ba359ccfa1b6ba68b8',
  'sqlite/0073_process_roles.sql': '63cc45057db12a94cf54751a38b313bab860e76b6bb586cb693dc4b7104ed2ec',
};

test('Landed migrations are unchanged', () => {
  const found = Object.fromEntries(
    ['postgres', 'sqlite'].flatMap((folder) =>
      readdirSync(`db/migrations/${folder}`)
        .filter((file) => file.endsWith('.sql'))
        .map((file) => {
          const text = readFileSync(`db/migrations/${folder}/${file}`);
          return [`${folder}/${file}`, createHash('sha256').update(text).digest('hex')];
        }),
    ),
  );
  expect(found).toEqual(landed);
});

test.each(['postgres', 'sqlite'])(
  'Each step of %s is newer than the one before, because a database has had those up to its newest',
  (folder) => {
    const { entries } = JSON.parse(readFileSync(`db/migrations/${folder}/meta/_journal.json`, 'utf8')) as {
      entries: { when: number; tag: string }[];
    };
    const disordered = entries.filter(({ when }, place) => when <= (entries[place - 1]?.when ?? 0));
    expect(disordered.map(({ tag }) => tag)).toEqual([]);
  },
);
