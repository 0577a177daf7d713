--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: analyses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.analyses (
    game bytea NOT NULL,
    analysis text NOT NULL
);


--
-- Name: games; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.games (
    id bytea NOT NULL,
    variant text NOT NULL,
    family text NOT NULL,
    row_length integer NOT NULL,
    history integer NOT NULL,
    start text,
    holders text NOT NULL,
    created_ms bigint NOT NULL,
    key text,
    body bigint,
    status text NOT NULL,
    tied boolean NOT NULL,
    ended_ms bigint,
    conclusion text
);


--
-- Name: nodes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.nodes (
    node text NOT NULL,
    until_ms bigint NOT NULL
);


--
-- Name: players; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.players (
    name text NOT NULL COLLATE pg_catalog."C",
    created_ms bigint NOT NULL,
    game bytea NOT NULL,
    family text NOT NULL
);


--
-- Name: rematches; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rematches (
    game bytea NOT NULL,
    next bytea NOT NULL
);


--
-- Name: schema_steps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_steps (
    version bigint NOT NULL
);


--
-- Name: secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.secrets (
    secret bytea NOT NULL
);


--
-- Name: sittings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sittings (
    game bytea NOT NULL,
    seat smallint NOT NULL,
    holder text NOT NULL,
    key text,
    body bigint
);


--
-- Name: turns; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.turns (
    game bytea NOT NULL,
    number integer NOT NULL,
    seat smallint,
    action text NOT NULL,
    at_ms bigint NOT NULL,
    key text,
    body bigint
);


--
-- Name: wishes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wishes (
    game bytea NOT NULL,
    seat smallint NOT NULL
);


--
-- Data for Name: analyses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.analyses VALUES ('\x31afdc96e271edfbec9aa28db8284d4d', '{"id":"1hnze9drkhxqxys6n2hpw2gkad","variant":"3x3k3","turns":[{"turn":1,"done":{"by":0,"play":"0-0"},"worth":{"value":"draw"},"best":"1-1","mistake":null},{"turn":2,"done":{"by":1,"play":"1-1"},"worth":{"value":"draw"},"best":"1-1","mistake":null},{"turn":3,"done":{"by":0,"play":"0-1"},"worth":{"value":"draw"},"best":"0-2","mistake":null},{"turn":4,"done":{"by":1,"play":"2-2"},"worth":{"value":"draw"},"best":"0-2","mistake":{"had":"draw","left":"loss"}},{"turn":5,"done":{"by":0,"play":"0-2"},"worth":{"value":"win","plies":1},"best":"0-2","mistake":null}]}');


--
-- Data for Name: games; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.games VALUES ('\x31afdc96e271edfbec9aa28db8284d4d', '3x3k3', '3x3k3', 3, 0, NULL, 'human Ann
human Bob', 1794875119736, NULL, NULL, 'over', false, 1794875119765, 'won x by line 0 1 2');
INSERT INTO public.games VALUES ('\xb7896682933edefdc9d51afc7a95160c', '3x3k3', '3x3k3', 3, 0, NULL, 'human Ann
human Zoë', 1794875119800, 'create-drawn-0001', 7419471610912972116, 'over', false, 1794875119853, 'draw');
INSERT INTO public.games VALUES ('\x7d12e17f3c500a32d397e8bb590694ae', 'multi@4', 'multi', 9, 0, NULL, 'human Ann
human Bob', 1794875119858, NULL, NULL, 'playing', false, NULL, NULL);
INSERT INTO public.games VALUES ('\x7019a7536a005d3f3491046b2c238657', '7x6k4+gravity', '7x6k4+gravity', 7, 4, NULL, 'human Ann
human Bob', 1794875119892, NULL, NULL, 'playing', false, NULL, NULL);
INSERT INTO public.games VALUES ('\x01d1f66b8f837c2a7d4423d1ad4ebd84', '4x4k3p3', '4x4k3p3', 4, 0, NULL, 'human Ann
open link
open lobby', 1794875119914, 'create-three-sides-1', -7544460416989295942, 'waiting', false, NULL, NULL);
INSERT INTO public.games VALUES ('\xa1cf8f737bc4be85094698228895fefa', '5x5k4', '5x5k4', 5, 0, NULL, 'human Ann
open lobby', 1794875119933, NULL, NULL, 'waiting', false, NULL, NULL);
INSERT INTO public.games VALUES ('\x4c5f759ff5e9dd59cf822d07a13a394b', 'ultimate', 'ultimate', 9, 0, NULL, 'open link
robot level:3', 1794875119935, NULL, NULL, 'unlisted', false, NULL, NULL);
INSERT INTO public.games VALUES ('\x26d775bfa4b6862504d9c4e024bf13c0', '3x3k3', '3x3k3', 3, 3, NULL, 'human Ann
human Bob', 1794875119942, NULL, NULL, 'over', false, 1794875119962, 'won o by resignation');
INSERT INTO public.games VALUES ('\x5a3755d72d1bcc1ae61521968ee8c123', '3x3k3', '3x3k3', 3, 0, NULL, 'human Ann
open link', 1794875119969, NULL, NULL, 'over', false, 1794875119978, 'won o by resignation');
INSERT INTO public.games VALUES ('\xec64bc09173caac670940ffb7dfea06a', '3x3k3', '3x3k3', 3, 0, NULL, 'human Bob
human Ann', 1794875119986, NULL, NULL, 'playing', false, NULL, NULL);
INSERT INTO public.games VALUES ('\x659d23df568d094366c337f12f146fde', '3x3k3', '3x3k3', 3, 0, NULL, 'human Ann
robot perfect', 1794875119999, NULL, NULL, 'playing', false, NULL, NULL);
INSERT INTO public.games VALUES ('\xc8973a473bc18dc4eddca0b52edbb5f0', '3x3k3', '3x3k3', 3, 0, 'ox./.x./.o. x', 'human Cyd
human Dan', 1794875120012, NULL, NULL, 'playing', false, NULL, NULL);
INSERT INTO public.games VALUES ('\x252129591998ffeaed075973b72cd719', 'multi', 'multi', 9, 3, NULL, 'human Ann
robot level:3', 1794875120018, 'import-of-a-record-1', -2904217556569153071, 'over', false, 1794875120018, 'won o by resignation');
INSERT INTO public.games VALUES ('\x09519afd0d94fc6f2b75dcfdc7632934', '3x3k3', '3x3k3', 3, 0, NULL, 'human@ffdaa62aeee9b6ee Flo
human@ffdaa62aeee9b6ee Eve', 1794875120024, NULL, NULL, 'over', true, 1794875120027, 'won o by leaving');
INSERT INTO public.games VALUES ('\x49ab4c8cd6964dd8aad03e3bdb12845a', '3x3k3', '3x3k3', 3, 0, NULL, 'human@ffdaa62aeee9b6ee Hal
human@ffdaa62aeee9b6ee Ivy', 1794875120033, NULL, NULL, 'playing', true, NULL, NULL);
INSERT INTO public.games VALUES ('\xa706cbc63070a1c6260131c198d6ce65', '3x3k3', '3x3k3', 3, 0, NULL, 'human@ffdaa62aeee9b6ee Gil
robot random', 1794875120028, NULL, NULL, 'over', true, 1794875120032, 'won o by leaving');


--
-- Data for Name: nodes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.nodes VALUES ('ffdaa62aeee9b6ee', 1794875129742);


--
-- Data for Name: players; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.players VALUES ('Ann', 1794875119736, '\x31afdc96e271edfbec9aa28db8284d4d', '3x3k3');
INSERT INTO public.players VALUES ('Bob', 1794875119736, '\x31afdc96e271edfbec9aa28db8284d4d', '3x3k3');
INSERT INTO public.players VALUES ('Ann', 1794875119800, '\xb7896682933edefdc9d51afc7a95160c', '3x3k3');
INSERT INTO public.players VALUES ('Zoë', 1794875119800, '\xb7896682933edefdc9d51afc7a95160c', '3x3k3');
INSERT INTO public.players VALUES ('Ann', 1794875119858, '\x7d12e17f3c500a32d397e8bb590694ae', 'multi');
INSERT INTO public.players VALUES ('Bob', 1794875119858, '\x7d12e17f3c500a32d397e8bb590694ae', 'multi');
INSERT INTO public.players VALUES ('Ann', 1794875119892, '\x7019a7536a005d3f3491046b2c238657', '7x6k4+gravity');
INSERT INTO public.players VALUES ('Bob', 1794875119892, '\x7019a7536a005d3f3491046b2c238657', '7x6k4+gravity');
INSERT INTO public.players VALUES ('Ann', 1794875119914, '\x01d1f66b8f837c2a7d4423d1ad4ebd84', '4x4k3p3');
INSERT INTO public.players VALUES ('Bo b\\', 1794875119914, '\x01d1f66b8f837c2a7d4423d1ad4ebd84', '4x4k3p3');
INSERT INTO public.players VALUES ('Ann', 1794875119933, '\xa1cf8f737bc4be85094698228895fefa', '5x5k4');
INSERT INTO public.players VALUES ('Ann', 1794875119942, '\x26d775bfa4b6862504d9c4e024bf13c0', '3x3k3');
INSERT INTO public.players VALUES ('Bob', 1794875119942, '\x26d775bfa4b6862504d9c4e024bf13c0', '3x3k3');
INSERT INTO public.players VALUES ('Ann', 1794875119969, '\x5a3755d72d1bcc1ae61521968ee8c123', '3x3k3');
INSERT INTO public.players VALUES ('Bob', 1794875119969, '\x5a3755d72d1bcc1ae61521968ee8c123', '3x3k3');
INSERT INTO public.players VALUES ('Ann', 1794875119986, '\xec64bc09173caac670940ffb7dfea06a', '3x3k3');
INSERT INTO public.players VALUES ('Bob', 1794875119986, '\xec64bc09173caac670940ffb7dfea06a', '3x3k3');
INSERT INTO public.players VALUES ('Ann', 1794875119999, '\x659d23df568d094366c337f12f146fde', '3x3k3');
INSERT INTO public.players VALUES ('Cyd', 1794875120012, '\xc8973a473bc18dc4eddca0b52edbb5f0', '3x3k3');
INSERT INTO public.players VALUES ('Dan', 1794875120012, '\xc8973a473bc18dc4eddca0b52edbb5f0', '3x3k3');
INSERT INTO public.players VALUES ('Ann', 1794875120018, '\x252129591998ffeaed075973b72cd719', 'multi');
INSERT INTO public.players VALUES ('Eve', 1794875120024, '\x09519afd0d94fc6f2b75dcfdc7632934', '3x3k3');
INSERT INTO public.players VALUES ('Flo', 1794875120024, '\x09519afd0d94fc6f2b75dcfdc7632934', '3x3k3');
INSERT INTO public.players VALUES ('Gil', 1794875120028, '\xa706cbc63070a1c6260131c198d6ce65', '3x3k3');
INSERT INTO public.players VALUES ('Hal', 1794875120033, '\x49ab4c8cd6964dd8aad03e3bdb12845a', '3x3k3');
INSERT INTO public.players VALUES ('Ivy', 1794875120033, '\x49ab4c8cd6964dd8aad03e3bdb12845a', '3x3k3');


--
-- Data for Name: rematches; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rematches VALUES ('\x5a3755d72d1bcc1ae61521968ee8c123', '\xec64bc09173caac670940ffb7dfea06a');


--
-- Data for Name: schema_steps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_steps VALUES (1);


--
-- Data for Name: secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.secrets VALUES ('\x2ecea8cd4f0221c540cedda23e34559d873c2a51b4e1e7507598acea12b82623');


--
-- Data for Name: sittings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sittings VALUES ('\x01d1f66b8f837c2a7d4423d1ad4ebd84', 1, 'human Bo b\\', 'seat-of-three-sides-1', 1878441178570186600);
INSERT INTO public.sittings VALUES ('\x5a3755d72d1bcc1ae61521968ee8c123', 1, 'human Bob', NULL, NULL);


--
-- Data for Name: turns; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.turns VALUES ('\x31afdc96e271edfbec9aa28db8284d4d', 1, 0, '0-0', 1794875119747, NULL, NULL);
INSERT INTO public.turns VALUES ('\x31afdc96e271edfbec9aa28db8284d4d', 2, 1, '1-1', 1794875119753, NULL, NULL);
INSERT INTO public.turns VALUES ('\x31afdc96e271edfbec9aa28db8284d4d', 3, 0, '0-1', 1794875119759, NULL, NULL);
INSERT INTO public.turns VALUES ('\x31afdc96e271edfbec9aa28db8284d4d', 4, 1, '2-2', 1794875119762, NULL, NULL);
INSERT INTO public.turns VALUES ('\x31afdc96e271edfbec9aa28db8284d4d', 5, 0, '0-2', 1794875119765, NULL, NULL);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 1, 0, '1-1', 1794875119803, 'turn-0', -7077105781095322992);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 2, 1, '0-0', 1794875119811, 'turn-1', 5952902288853116831);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 3, 0, '0-1', 1794875119814, 'turn-2', 2788011328147024847);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 4, 1, '2-1', 1794875119817, 'turn-3', -216020984973943976);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 5, 0, '1-0', 1794875119827, 'turn-4', -1963538591836501897);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 6, 1, '1-2', 1794875119829, 'turn-5', -5446469687005351154);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 7, 0, '0-2', 1794875119832, 'turn-6', 9086892769520483986);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 8, 1, '2-0', 1794875119842, 'turn-7', 1449817381158963848);
INSERT INTO public.turns VALUES ('\xb7896682933edefdc9d51afc7a95160c', 9, 0, '2-2', 1794875119853, 'turn-8', 8759622315132592665);
INSERT INTO public.turns VALUES ('\x7d12e17f3c500a32d397e8bb590694ae', 1, 0, '4-0', 1794875119870, NULL, NULL);
INSERT INTO public.turns VALUES ('\x7d12e17f3c500a32d397e8bb590694ae', 2, 1, '0-4', 1794875119882, NULL, NULL);
INSERT INTO public.turns VALUES ('\x7d12e17f3c500a32d397e8bb590694ae', 3, 0, '4-8', 1794875119890, NULL, NULL);
INSERT INTO public.turns VALUES ('\x7019a7536a005d3f3491046b2c238657', 1, 0, '5-3', 1794875119894, NULL, NULL);
INSERT INTO public.turns VALUES ('\x7019a7536a005d3f3491046b2c238657', 2, 1, '4-3', 1794875119899, NULL, NULL);
INSERT INTO public.turns VALUES ('\x7019a7536a005d3f3491046b2c238657', 3, 0, '5-2', 1794875119901, NULL, NULL);
INSERT INTO public.turns VALUES ('\x7019a7536a005d3f3491046b2c238657', 4, 1, '<<2', 1794875119905, NULL, NULL);
INSERT INTO public.turns VALUES ('\x7019a7536a005d3f3491046b2c238657', 5, 0, '5-0', 1794875119908, NULL, NULL);
INSERT INTO public.turns VALUES ('\x7019a7536a005d3f3491046b2c238657', 6, 1, '5-6', 1794875119912, NULL, NULL);
INSERT INTO public.turns VALUES ('\x01d1f66b8f837c2a7d4423d1ad4ebd84', 1, 0, '0-0', 1794875119926, NULL, NULL);
INSERT INTO public.turns VALUES ('\x01d1f66b8f837c2a7d4423d1ad4ebd84', 2, 1, '1-1', 1794875119931, NULL, NULL);
INSERT INTO public.turns VALUES ('\x26d775bfa4b6862504d9c4e024bf13c0', 1, 0, '0-0', 1794875119944, NULL, NULL);
INSERT INTO public.turns VALUES ('\x26d775bfa4b6862504d9c4e024bf13c0', 2, 1, '1-1', 1794875119948, NULL, NULL);
INSERT INTO public.turns VALUES ('\x26d775bfa4b6862504d9c4e024bf13c0', 3, 0, '<<1', 1794875119952, 'rewind-once', -8191577276600860462);
INSERT INTO public.turns VALUES ('\x26d775bfa4b6862504d9c4e024bf13c0', 4, 1, '2-2', 1794875119956, NULL, NULL);
INSERT INTO public.turns VALUES ('\x26d775bfa4b6862504d9c4e024bf13c0', 5, 0, 'resign', 1794875119962, 'resign-once', 1051634057774541464);
INSERT INTO public.turns VALUES ('\x5a3755d72d1bcc1ae61521968ee8c123', 1, 0, 'resign', 1794875119978, NULL, NULL);
INSERT INTO public.turns VALUES ('\xec64bc09173caac670940ffb7dfea06a', 1, 0, '1-1', 1794875119996, NULL, NULL);
INSERT INTO public.turns VALUES ('\x659d23df568d094366c337f12f146fde', 1, 0, '1-1', 1794875120007, NULL, NULL);
INSERT INTO public.turns VALUES ('\x659d23df568d094366c337f12f146fde', 2, 1, '0-0', 1794875120010, NULL, NULL);
INSERT INTO public.turns VALUES ('\xc8973a473bc18dc4eddca0b52edbb5f0', 1, 0, '1-0', 1794875120015, NULL, NULL);
INSERT INTO public.turns VALUES ('\x252129591998ffeaed075973b72cd719', 1, 0, '4-0', 1794875120018, NULL, NULL);
INSERT INTO public.turns VALUES ('\x252129591998ffeaed075973b72cd719', 2, 1, '0-2', 1794875120018, NULL, NULL);
INSERT INTO public.turns VALUES ('\x252129591998ffeaed075973b72cd719', 3, 0, '<<1', 1794875120018, NULL, NULL);
INSERT INTO public.turns VALUES ('\x252129591998ffeaed075973b72cd719', 4, 1, '0-8', 1794875120018, NULL, NULL);
INSERT INTO public.turns VALUES ('\x252129591998ffeaed075973b72cd719', 5, 0, 'resign', 1794875120018, NULL, NULL);
INSERT INTO public.turns VALUES ('\x09519afd0d94fc6f2b75dcfdc7632934', 1, 0, '1-1', 1794875120025, NULL, NULL);
INSERT INTO public.turns VALUES ('\x09519afd0d94fc6f2b75dcfdc7632934', 2, NULL, 'left 0', 0, NULL, NULL);
INSERT INTO public.turns VALUES ('\xa706cbc63070a1c6260131c198d6ce65', 1, NULL, 'left 0', 0, NULL, NULL);
INSERT INTO public.turns VALUES ('\x49ab4c8cd6964dd8aad03e3bdb12845a', 1, 0, '1-1', 1794875120034, NULL, NULL);


--
-- Data for Name: wishes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wishes VALUES ('\x26d775bfa4b6862504d9c4e024bf13c0', 1);
INSERT INTO public.wishes VALUES ('\x5a3755d72d1bcc1ae61521968ee8c123', 0);
INSERT INTO public.wishes VALUES ('\x5a3755d72d1bcc1ae61521968ee8c123', 1);


--
-- Name: analyses analyses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.analyses
    ADD CONSTRAINT analyses_pkey PRIMARY KEY (game);


--
-- Name: games games_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.games
    ADD CONSTRAINT games_key_key UNIQUE (key);


--
-- Name: games games_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.games
    ADD CONSTRAINT games_pkey PRIMARY KEY (id);


--
-- Name: nodes nodes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (node);


--
-- Name: players players_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_pkey PRIMARY KEY (name, created_ms, game);


--
-- Name: rematches rematches_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rematches
    ADD CONSTRAINT rematches_pkey PRIMARY KEY (game);


--
-- Name: schema_steps schema_steps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_steps
    ADD CONSTRAINT schema_steps_pkey PRIMARY KEY (version);


--
-- Name: sittings sittings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sittings
    ADD CONSTRAINT sittings_pkey PRIMARY KEY (game, seat);


--
-- Name: turns turns_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (game, number);


--
-- Name: wishes wishes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wishes
    ADD CONSTRAINT wishes_pkey PRIMARY KEY (game, seat);


--
-- Name: games_by_family; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX games_by_family ON public.games USING btree (family, status, created_ms, id);


--
-- Name: games_by_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX games_by_status ON public.games USING btree (status, created_ms, id);


--
-- Name: games_tied; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX games_tied ON public.games USING btree (id) WHERE (tied AND (ended_ms IS NULL));


--
-- Name: turns_by_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX turns_by_key ON public.turns USING btree (game, seat, key) WHERE (key IS NOT NULL);


--
-- PostgreSQL database dump complete
--


