// The bodies and the answers of all integration endpoints, by name.
// `flask --app wsgi catalog types` prints this file from the declarations.

/** What a call needs and gives. `get` is true where an endpoint may be called with `get`. */
export interface EndpointTypes {
  get: boolean;
  request: object;
  response: unknown;
}

export interface Endpoints {
  /** Web search with filters, on request with the text of pages and an answer. */
  'advanced-web-search': {
    get: false;
    request: {
      /** What to search for. */
      query: string;
      /** How much effort to spend; `advanced` finds most, and costs twice as much. @default 'advanced' */
      searchDepth?: 'advanced' | 'basic' | 'fast' | 'ultra-fast';
      /** The kind of pages to search. @default 'general' */
      topic?: 'general' | 'news' | 'finance';
      /** Number of results. @default 10 */
      maxResults?: number;
      /** Excerpts of each page in its snippet. @default 3 */
      chunksPerSource?: number;
      /** Only pages published or changed since then; not with `startDate` or `endDate`. */
      timeRange?: 'day' | 'week' | 'month' | 'year';
      /** Only pages published or changed after this day. */
      startDate?: string;
      /** Only pages published or changed before this day. */
      endDate?: string;
      /** Only pages of these domains. */
      includeDomains?: string[];
      /** No pages of these domains. */
      excludeDomains?: string[];
      /** Prefer pages of this country, by its English name in small letters, such as `germany`; only for the topic `general`. */
      country?: string;
      /** Return an answer that a model makes of the results: a quick one (true, `basic`), or one with more detail (`advanced`). @default false */
      includeAnswer?: true | false | 'basic' | 'advanced';
      /** Return the whole content of each page, in Markdown (true, `markdown`) or as `text`. @default false */
      includeRawContent?: true | false | 'markdown' | 'text';
      /** Return images that match the query. @default false */
      includeImages?: boolean;
      /** Only pages with the exact phrases that stand in quotation marks. @default false */
      exactMatch?: boolean;
    };
    response: {
      query: string | null;
      answer: string | null;
      results: Array<{
        url: string;
        title: string | null;
        snippet: string | null;
        score: number | null;
        content: string | null;
      }>;
      images: string[];
      requestId: string | null;
    };
  };
  /** A video made from a prompt or with an avatar. It takes several minutes. */
  'aivideo-create-video': {
    get: false;
    request: {
      /** What the video is about; the agent writes and stages it. */
      prompt?: string;
      /** What an avatar says, word for word, in the place of `prompt`. */
      script?: string;
      /** The avatar. A script needs one, unless the operator has set it. */
      avatarId?: string;
      /** The voice. */
      voiceId?: string;
      /** With `prompt`. */
      orientation?: 'landscape' | 'portrait';
      /** A style of HeyGen; with `prompt`. */
      styleId?: string;
      /** Public https URLs of material to use; with `prompt`. */
      files?: string[];
      /** With `script`. */
      aspectRatio?: '16:9' | '9:16' | '4:5' | '5:4' | '1:1' | 'auto';
      /** With `script`; 4k costs a quarter more. */
      resolution?: '720p' | '1080p' | '4k';
      /** Its title at HeyGen; with `script`. */
      title?: string;
      /** Seconds to hold the call open for the result. @default 0 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** What was asked for. */
      resolution?: string | null;
      result?: {
        /** HeyGen's own address of the file, for a limited time. */
        videoUrl: string;
        thumbnailUrl: string | null;
        subtitleUrl: string | null;
        title: string | null;
        durationSeconds: number | null;
        /** What was asked for. */
        resolution: string | null;
      };
    };
  };
  /** Baseball games, with their scores inning by inning. */
  'baseball/games': {
    get: true;
    request: {
      /** The game's number. */
      id?: number;
      /** Only those of this day. */
      date?: string;
      /** Only those in this league; needs the season too. */
      league?: number;
      /** Only those of this team; needs the season too. */
      team?: number;
      /** The time zone of the dates, such as `Europe/London`; UTC unless given. */
      timezone?: string;
      /** Only games of the season of this year. */
      season?: number;
    };
    response: {
      games: Array<{
        id: number;
        date: string | null;
        stage: string | null;
        week: string | null;
        status: string | null;
        statusText: string | null;
        league: { id: number; name: string | null; season: number | null };
        home: { id: number | null; name: string | null; logo: string | null; score: number | null };
        away: { id: number | null; name: string | null; logo: string | null; score: number | null };
        scores: {
          home: {
            hits: number | null;
            errors: number | null;
            innings: {
              '1': number | null;
              '2': number | null;
              '3': number | null;
              '4': number | null;
              '5': number | null;
              '6': number | null;
              '7': number | null;
              '8': number | null;
              '9': number | null;
              extra: number | null;
            } | null;
            total: number | null;
          } | null;
          away: {
            hits: number | null;
            errors: number | null;
            innings: {
              '1': number | null;
              '2': number | null;
              '3': number | null;
              '4': number | null;
              '5': number | null;
              '6': number | null;
              '7': number | null;
              '8': number | null;
              '9': number | null;
              extra: number | null;
            } | null;
            total: number | null;
          } | null;
        };
      }>;
    };
  };
  /** Baseball leagues and cups, with their seasons. */
  'baseball/leagues': {
    get: true;
    request: {
      /** The league's number. */
      id?: number;
      /** The whole name. */
      name?: string;
      /** Only those of this country, by its number. */
      countryId?: number;
      /** Only those of this country, by its name. */
      country?: string;
      /** Only leagues, or only cups. */
      type?: 'league' | 'cup';
      /** A piece of the name. */
      search?: string;
      /** Only leagues with a season of this year. */
      season?: number;
    };
    response: {
      leagues: Array<{
        id: number;
        name: string | null;
        logo: string | null;
        type: string | null;
        country: string | null;
        countryCode: string | null;
        seasons: Array<{ season: number | null; start: string | null; end: string | null; current: boolean | null }>;
      }>;
    };
  };
  /** The tables of a baseball league, row by row: each team is in several of them. */
  'baseball/standings': {
    get: true;
    request: {
      /** The league's number. */
      league: number;
      /** Only the rows of this team. */
      team?: number;
      /** Only this stage, such as `MLB - Regular Season`. */
      stage?: string;
      /** Only this group, such as `AL East`. */
      group?: string;
      /** The season's year. */
      season: number;
    };
    response: {
      table: Array<{
        position: number | null;
        stage: string | null;
        group: string | null;
        team: { id: number; name: string | null; logo: string | null };
        played: number | null;
        won: number | null;
        winPercentage: string | null;
        lost: number | null;
        pointsFor: number | null;
        pointsAgainst: number | null;
        form: string | null;
        description: string | null;
      }>;
    };
  };
  /** Baseball teams. */
  'baseball/teams': {
    get: true;
    request: {
      /** The team's number. */
      id?: number;
      /** The whole name. */
      name?: string;
      /** Only those of this country, by its number. */
      countryId?: number;
      /** Only those in this league; needs the season too. */
      league?: number;
      /** A piece of the name. */
      search?: string;
      /** Only teams of the season of this year; needs the league too. */
      season?: number;
    };
    response: {
      teams: Array<{ id: number; name: string | null; logo: string | null; country: string | null }>;
    };
  };
  /** Basketball games, with their scores. */
  'basketball/games': {
    get: true;
    request: {
      /** The game's number. */
      id?: number;
      /** Only those of this day. */
      date?: string;
      /** Only those in this league; needs the season too. */
      league?: number;
      /** Only those of this team; needs the season too. */
      team?: number;
      /** The time zone of the dates, such as `Europe/London`; UTC unless given. */
      timezone?: string;
      /** Only games of this season. One year or two, as the league names it: `2019-2020` for the NBA. */
      season?: string;
    };
    response: {
      games: Array<{
        id: number;
        date: string | null;
        stage: string | null;
        week: string | null;
        status: string | null;
        statusText: string | null;
        league: { id: number; name: string | null; season: string | null };
        home: { id: number | null; name: string | null; logo: string | null; score: number | null };
        away: { id: number | null; name: string | null; logo: string | null; score: number | null };
        scores: {
          home: {
            quarter1: number | null;
            quarter2: number | null;
            quarter3: number | null;
            quarter4: number | null;
            overTime: number | null;
            total: number | null;
          } | null;
          away: {
            quarter1: number | null;
            quarter2: number | null;
            quarter3: number | null;
            quarter4: number | null;
            overTime: number | null;
            total: number | null;
          } | null;
        };
      }>;
    };
  };
  /** Basketball leagues and cups, with their seasons. */
  'basketball/leagues': {
    get: true;
    request: {
      /** The league's number. */
      id?: number;
      /** The whole name. */
      name?: string;
      /** Only those of this country, by its number. */
      countryId?: number;
      /** Only those of this country, by its name. */
      country?: string;
      /** Only leagues, or only cups. */
      type?: 'league' | 'cup';
      /** A piece of the name. */
      search?: string;
      /** Only leagues with this season. One year or two, as the league names it: `2019-2020` for the NBA. */
      season?: string;
    };
    response: {
      leagues: Array<{
        id: number;
        name: string | null;
        logo: string | null;
        type: string | null;
        country: string | null;
        countryCode: string | null;
        seasons: Array<{
          season: string | null;
          start: string | null;
          end: string | null;
          coverage: unknown | null;
        }>;
      }>;
    };
  };
  /** The statistics of basketball players in games, or in each game of a season. */
  'basketball/player-stats': {
    get: true;
    request: {
      /** One game's number. */
      game?: number;
      /** The numbers of several games. */
      games?: number[];
      /** A player's number: all games of a season. */
      player?: number;
      /** The season, for a player. One year or two, as the league names it: `2019-2020` for the NBA. */
      season?: string;
    };
    response: {
      stats: Array<{
        gameId: number;
        teamId: number | null;
        player: { id: number; name: string | null };
        role: string | null;
        minutes: string | null;
        points: number | null;
        assists: number | null;
        rebounds: number | null;
        fieldGoals: { total: number | null; attempts: number | null; percentage: number | null } | null;
        threePointers: { total: number | null; attempts: number | null; percentage: number | null } | null;
        freeThrows: { total: number | null; attempts: number | null; percentage: number | null } | null;
      }>;
    };
  };
  /** The tables of a basketball league, row by row. */
  'basketball/standings': {
    get: true;
    request: {
      /** The league's number. */
      league: number;
      /** Only the rows of this team. */
      team?: number;
      /** Only this stage, such as `NBA - Regular Season`. */
      stage?: string;
      /** Only this group, such as `Eastern Conference`. */
      group?: string;
      /** The season. One year or two, as the league names it: `2019-2020` for the NBA. */
      season: string;
    };
    response: {
      table: Array<{
        position: number | null;
        stage: string | null;
        group: string | null;
        team: { id: number; name: string | null; logo: string | null };
        played: number | null;
        won: number | null;
        winPercentage: string | null;
        lost: number | null;
        pointsFor: number | null;
        pointsAgainst: number | null;
        form: string | null;
        description: string | null;
      }>;
    };
  };
  /** Basketball teams. */
  'basketball/teams': {
    get: true;
    request: {
      /** The team's number. */
      id?: number;
      /** The whole name. */
      name?: string;
      /** Only those of this country, by its number. */
      countryId?: number;
      /** Only those in this league; needs the season too. */
      league?: number;
      /** A piece of the name. */
      search?: string;
      /** Only teams of this season; needs the league too. One year or two, as the league names it: `2019-2020` for the NBA. */
      season?: string;
    };
    response: {
      teams: Array<{ id: number; name: string | null; logo: string | null; country: string | null }>;
    };
  };
  /** Put up to 20 events into a calendar. */
  'calendar-create-events': {
    get: false;
    request: {
      /** The calendar's id, often a mail address; by default, the user's own. @default 'primary' */
      calendarId?: string;
      /** The events. */
      events: Array<{
        /** Its title. */
        title: string;
        /** When it starts: a time, or a date if it is all day. */
        start: string;
        /** When it ends; of one that is all day, the date after its last. */
        end: string;
        /** Whether it takes whole days. @default false */
        allDay?: boolean;
        /** The time zone, such as `Europe/Berlin`. A repeated event with times needs one. */
        timeZone?: string;
        /** What it is about. */
        description?: string;
        /** Where it is. */
        location?: string;
        /** The mail addresses of those who are invited. */
        attendees?: string[];
        /** How it is repeated, in lines such as `RRULE:FREQ=DAILY`. */
        recurrence?: string[];
        /** Whether it gets a video meeting. @default false */
        addMeeting?: boolean;
      }>;
      /** Which guests get an invitation by mail. Without one, a guest whose calendar is not Google's may never see the event. @default 'none' */
      sendUpdates?: 'all' | 'externalOnly' | 'none';
    };
    response: {
      events: Array<{
        id: string;
        title: string | null;
        description: string | null;
        location: string | null;
        status: string | null;
        url: string | null;
        meetingUrl: string | null;
        organizer: string | null;
        recurringEventId: string | null;
        start: string;
        end: string;
        allDay: boolean;
        attendees: Array<{ email: string | null; name: string | null; responseStatus: string | null }>;
      }>;
      failed: Array<{
        index: number;
        error: string;
        message: string;
        /** Whether it may have been made all the same: look first. */
        mayExist: boolean;
      }>;
    };
  };
  'calendar-events': Endpoints['cloudsuite/calendar-list-events'];
  /** Events of a calendar, from now on unless another time is given. */
  'cloudsuite/calendar-list-events': {
    get: true;
    request: {
      /** The calendar's id, often a mail address; by default, the user's own. @default 'primary' */
      calendarId?: string;
      /** Only events that end after this time. */
      timeMin?: string;
      /** Only events that start before this time. */
      timeMax?: string;
      /** Only events in which these words occur. */
      query?: string;
      /** Events of a page. @default 50 */
      maxResults?: number;
      /** What to sort by. @default 'startTime' */
      orderBy?: 'startTime' | 'updated';
      /** The time zone of the answer's times. */
      timeZone?: string;
      /** The `nextCursor` of the page before. */
      cursor?: string;
    };
    response: {
      events: Array<{
        id: string;
        title: string | null;
        description: string | null;
        location: string | null;
        status: string | null;
        url: string | null;
        meetingUrl: string | null;
        organizer: string | null;
        recurringEventId: string | null;
        start: string;
        end: string;
        allDay: boolean;
        attendees: Array<{ email: string | null; name: string | null; responseStatus: string | null }>;
      }>;
      timeZone: string | null;
      nextCursor: string | null;
    };
  };
  /** The people in the address book, with their addresses and numbers. */
  'cloudsuite/contacts-list': {
    get: true;
    request: {
      /** Contacts of a page. @default 100 */
      pageSize?: number;
      /** What to sort by. @default 'LAST_MODIFIED_DESCENDING' */
      sortOrder?: 'LAST_MODIFIED_ASCENDING' | 'LAST_MODIFIED_DESCENDING' | 'FIRST_NAME_ASCENDING' | 'LAST_NAME_ASCENDING';
      /** The `nextCursor` of the page before. */
      cursor?: string;
    };
    response: {
      contacts: Array<{
        id: string;
        name: string | null;
        givenName: string | null;
        familyName: string | null;
        emails: string[];
        phones: string[];
        organization: string | null;
        title: string | null;
        addresses: Array<{ text: string | null; city: string | null; country: string | null; kind: string | null }>;
        photoUrl: string | null;
      }>;
      nextCursor: string | null;
      total: number | null;
    };
  };
  /** Files outside the trash, the last changed first, or only those with given words. */
  'cloudsuite/drive-list': {
    get: true;
    request: {
      /** Only files in which these words occur. */
      query?: string;
      /** Only what is in this folder. */
      folderId?: string;
      /** Only files of this media type. */
      mimeType?: string;
      /** Files of a page. @default 50 */
      pageSize?: number;
      /** What to sort by, such as `folder,name desc`. Other keys are `name_natural`, `createdTime`, `modifiedTime`, `modifiedByMeTime`, `viewedByMeTime`, `sharedWithMeTime`, `starred`, `quotaBytesUsed` and `recency`. With `query`, the files that fit best come first in any case. */
      orderBy?: string;
      /** The `nextCursor` of the page before. */
      cursor?: string;
    };
    response: {
      files: Array<{
        id: string;
        name: string | null;
        mimeType: string | null;
        /** Bytes, as text. */
        size: string | null;
        modifiedTime: string | null;
        createdTime: string | null;
        url: string | null;
        iconUrl: string | null;
        parents: string[] | null;
        shared: boolean | null;
        owner: string | null;
        isFolder: boolean;
      }>;
      nextCursor: string | null;
      /** Whether only files of this app are listed: no more is granted. */
      ownOnly: boolean;
    };
  };
  /** Messages with their headers and first words, newest first. */
  'cloudsuite/mail-list': {
    get: true;
    request: {
      /** Only messages that match, as in Gmail's own search. */
      query?: string;
      /** Only messages with all of these labels. */
      labelIds?: string[];
      /** Messages of a page. @default 20 */
      maxResults?: number;
      /** Also what is in spam or trash. @default false */
      includeSpamTrash?: boolean;
      /** The `nextCursor` of the page before. */
      cursor?: string;
    };
    response: {
      nextCursor: string | null;
      resultSizeEstimate: number | null;
      messages: Array<{
        id: string;
        threadId: string | null;
        snippet: string | null;
        /** Milliseconds since 1970, as text. */
        receivedAt: string | null;
        subject: string | null;
        from: string | null;
        to: string | null;
        date: string | null;
        labels: string[];
        unread: boolean;
      }>;
    };
  };
  /** Send a message from the connected account. */
  'cloudsuite/mail-send': {
    get: false;
    request: {
      /** Who gets it: addresses, separated by commas. */
      to: string;
      /** Its subject. */
      subject: string;
      /** What it says. */
      content: string;
      /** Whether the content is HTML. @default false */
      isHtml?: boolean;
      /** Who gets a copy: addresses, separated by commas. */
      cc?: string;
      /** Who gets a copy unseen by the others: addresses, separated by commas. */
      bcc?: string;
      /** The conversation that it belongs to, which must have the same subject. To answer one of its messages, call `mail-reply`: it names that message, as Gmail requires. */
      threadId?: string;
    };
    response: { id: string; threadId: string; labels: string[]; sent: boolean };
  };
  /** A repository, with its description and the number of its stars. */
  'codehost-get-repository': {
    get: true;
    request: {
      /** The account that has the repository. */
      owner: string;
      /** The repository's name. */
      repo: string;
    };
    response: {
      fullName: string;
      id: number | null;
      owner: string | null;
      name: string | null;
      description: string | null;
      url: string | null;
      stars: number | null;
      forks: number | null;
      openIssues: number | null;
      language: string | null;
      topics: string[] | null;
      license: string | null;
      defaultBranch: string | null;
      archived: boolean | null;
      private: boolean | null;
      createdAt: string | null;
      updatedAt: string | null;
      pushedAt: string | null;
    };
  };
  /** Commits of a repository, newest first. */
  'codehost-get-repository-commits': {
    get: true;
    request: {
      /** Items of a page. @default 30 */
      perPage?: number;
      /** The page's number. @default 1 */
      page?: number;
      /** The account that has the repository. */
      owner: string;
      /** The repository's name. */
      repo: string;
      /** Branch, tag or commit to start from. */
      ref?: string;
      /** Only commits that change this path. */
      path?: string;
      /** Only commits by this account or mail address. */
      author?: string;
      /** Only commits after this time. */
      since?: string;
      /** Only commits before this time. */
      until?: string;
    };
    response: {
      commits: Array<{
        sha: string;
        message: string | null;
        authorName: string | null;
        authorLogin: string | null;
        date: string | null;
        url: string | null;
        parents: string[];
      }>;
      nextPage: number | null;
    };
  };
  /** A file or a folder. A file that is not text, or over 1 MB, has no `content`. */
  'codehost-get-repository-contents': {
    get: true;
    request: {
      /** The account that has the repository. */
      owner: string;
      /** The repository's name. */
      repo: string;
      /** A file or a folder; without it, the repository's own. @default '' */
      path?: string;
      /** Branch, tag or commit. */
      ref?: string;
    };
    response: {
      path: string;
      type: string;
      size: number | null;
      sha: string | null;
      name: string | null;
      content: string | null;
      downloadUrl: string | null;
      entries: Array<{ path: string; type: string | null; size: number | null; sha: string | null; name: string }>;
    };
  };
  /** Issues of a repository. A page may be short, because pull requests are left out. */
  'codehost-get-repository-issues': {
    get: true;
    request: {
      /** Items of a page. @default 30 */
      perPage?: number;
      /** The page's number. @default 1 */
      page?: number;
      /** The account that has the repository. */
      owner: string;
      /** The repository's name. */
      repo: string;
      /** Its state. @default 'open' */
      state?: 'open' | 'closed' | 'all';
      /** Only issues with all of these labels. */
      labels?: string[];
      /** Only issues that this account is to solve. */
      assignee?: string;
      /** Only issues that this account has opened. */
      creator?: string;
      /** What to sort by. @default 'created' */
      sort?: 'created' | 'updated' | 'comments';
      /** The order. @default 'desc' */
      direction?: 'asc' | 'desc';
      /** Only issues that have changed after this time. */
      since?: string;
    };
    response: {
      issues: Array<{
        number: number;
        title: string | null;
        state: string | null;
        body: string | null;
        author: string | null;
        createdAt: string | null;
        updatedAt: string | null;
        url: string | null;
        comments: number | null;
        closedAt: string | null;
        labels: string[];
        assignees: string[];
      }>;
      nextPage: number | null;
    };
  };
  /** Pull requests of a repository. */
  'codehost-get-repository-pulls': {
    get: true;
    request: {
      /** Items of a page. @default 30 */
      perPage?: number;
      /** The page's number. @default 1 */
      page?: number;
      /** The account that has the repository. */
      owner: string;
      /** The repository's name. */
      repo: string;
      /** Its state. @default 'open' */
      state?: 'open' | 'closed' | 'all';
      /** Only those from this branch, as `account:branch`. */
      head?: string;
      /** Only those into this branch. */
      base?: string;
      /** What to sort by. @default 'created' */
      sort?: 'created' | 'updated' | 'popularity' | 'long-running';
      /** The order. */
      direction?: 'asc' | 'desc';
    };
    response: {
      pulls: Array<{
        number: number;
        title: string | null;
        state: string | null;
        body: string | null;
        author: string | null;
        createdAt: string | null;
        updatedAt: string | null;
        url: string | null;
        draft: boolean | null;
        head: string | null;
        base: string | null;
        mergedAt: string | null;
      }>;
      nextPage: number | null;
    };
  };
  /** All files of a repository at a branch, tag or commit. */
  'codehost-get-repository-tree': {
    get: true;
    request: {
      /** The account that has the repository. */
      owner: string;
      /** The repository's name. */
      repo: string;
      /** Branch, tag or commit. @default 'HEAD' */
      ref?: string;
      /** Also what is in its folders. @default true */
      recursive?: boolean;
    };
    response: {
      sha: string | null;
      truncated: boolean;
      entries: Array<{ path: string; type: string | null; size: number | null; sha: string | null }>;
    };
  };
  /** Public repositories that match words and qualifiers such as `language:`. */
  'codehost-search-repositories': {
    get: true;
    request: {
      /** Items of a page. @default 30 */
      perPage?: number;
      /** The page's number. @default 1 */
      page?: number;
      /** Words, of at most 256 characters, and qualifiers such as `language:`. */
      query: string;
      /** What to sort by; by default, how well a repository matches. */
      sort?: 'stars' | 'forks' | 'help-wanted-issues' | 'updated';
      /** The order. @default 'desc' */
      order?: 'desc' | 'asc';
    };
    response: {
      total: number;
      incomplete: boolean;
      repositories: Array<{
        fullName: string;
        id: number | null;
        owner: string | null;
        name: string | null;
        description: string | null;
        url: string | null;
        stars: number | null;
        forks: number | null;
        openIssues: number | null;
        language: string | null;
        topics: string[] | null;
        license: string | null;
        defaultBranch: string | null;
        archived: boolean | null;
        private: boolean | null;
        createdAt: string | null;
        updatedAt: string | null;
        pushedAt: string | null;
      }>;
      nextPage: number | null;
    };
  };
  'contacts': Endpoints['cloudsuite/contacts-list'];
  /** The pages of a site, which may take many minutes. */
  'crawl-crawl': {
    get: false;
    request: {
      /** Where to begin. */
      url: string;
      /** Number of pages; what they do not cost is given back when the job has ended. @default 20 */
      limit?: number;
      /** Which pages to read, in words. */
      prompt?: string;
      /** Only paths that fit one of these regular expressions. */
      includePaths?: string[];
      /** No paths that fit one of these regular expressions. */
      excludePaths?: string[];
      /** Links to follow from the first page to another. */
      maxDepth?: number;
      /** Whether to read the site's sitemap. @default 'include' */
      sitemap?: 'skip' | 'include' | 'only';
      /** Pages above and beside the first one as well. @default false */
      crawlEntireDomain?: boolean;
      /** Pages of other sites as well. @default false */
      allowExternalLinks?: boolean;
      /** Pages of subdomains as well. @default false */
      allowSubdomains?: boolean;
      /** Seconds between two pages. */
      delay?: number;
      /** What to return of each page. @default ["markdown"] */
      formats?: Array<'markdown' | 'summary' | 'html' | 'rawHtml' | 'links'>;
      /** Leave out headers, menus and footers. @default true */
      onlyMainContent?: boolean;
      /** Pages to read of a PDF; each costs as much as a page of the web. @default 1 */
      maxPdfPages?: number;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      result?: {
        pages: Array<{
          url: string | null;
          title: string | null;
          statusCode: number | null;
          markdown: string | null;
          summary: string | null;
          html: string | null;
          rawHtml: string | null;
          links: string[];
        }>;
        total: number | null;
        completed: number | null;
        creditsUsed: number | null;
        isTruncated: boolean;
      };
    };
  };
  /** The addresses of a site's pages. */
  'crawl-map': {
    get: false;
    request: {
      /** A page of the site. */
      url: string;
      /** Put pages about this first. */
      search?: string;
      /** Number of pages. @default 500 */
      limit?: number;
      /** Whether to read the site's sitemap. @default 'include' */
      sitemap?: 'skip' | 'include' | 'only';
      /** Pages of subdomains as well. @default true */
      includeSubdomains?: boolean;
      /** Leave out addresses with a query. @default true */
      ignoreQueryParameters?: boolean;
      /** Milliseconds until the site is given up. */
      timeout?: number;
    };
    response: {
      url: string;
      count: number;
      links: Array<{
        url: string;
        title: string | null;
        description: string | null;
      }>;
    };
  };
  /** One page as Markdown, HTML, links, a screenshot, or data of a schema. */
  'crawl-scrape': {
    get: false;
    request: {
      /** The page to read. */
      url: string;
      /** What to return of each page. @default ["markdown"] */
      formats?: Array<'markdown' | 'summary' | 'html' | 'rawHtml' | 'links' | 'images' | 'screenshot'>;
      /** The JSON Schema of data that a model reads from the page, returned in `json`. */
      jsonSchema?: Record<string, unknown>;
      /** What the model reads from the page for `json`. */
      jsonPrompt?: string;
      /** Leave out headers, menus and footers. @default true */
      onlyMainContent?: boolean;
      /** Only elements that fit one of these selectors. */
      includeTags?: string[];
      /** No elements that fit one of these selectors. */
      excludeTags?: string[];
      /** Milliseconds to wait for the page's scripts, at most half of `timeout`. @default 0 */
      waitFor?: number;
      /** Milliseconds until the page is given up. @default 60000 */
      timeout?: number;
      /** Load the page as a phone does. @default false */
      mobile?: boolean;
      /** Load the page anew if the stored copy is older, in milliseconds. @default 172800000 */
      maxAge?: number;
      /** The country to load the page from, in two letters. */
      country?: string;
      /** Pages to read of a PDF; each costs as much as a page of the web. @default 10 */
      maxPdfPages?: number;
    };
    response: {
      url: string;
      title: string | null;
      description: string | null;
      statusCode: number | null;
      markdown: string | null;
      html: string | null;
      rawHtml: string | null;
      summary: string | null;
      links: string[];
      images: string[];
      /** Firecrawl keeps it for 24 hours. */
      screenshotUrl: string | null;
      json: unknown;
      metadata: unknown;
      warning: string | null;
      creditsUsed: number | null;
    };
  };
  /** Web search, on request with the content of each result. */
  'crawl-search': {
    get: false;
    request: {
      /** What to search for. */
      query: string;
      /** Number of results of each source. @default 10 */
      limit?: number;
      /** Only pages of these domains. */
      includeDomains?: string[];
      /** No pages of these domains; not together with `includeDomains`. */
      excludeDomains?: string[];
      /** Only pages of the last hour, day, week, month or year. */
      timeRange?: 'hour' | 'day' | 'week' | 'month' | 'year';
      /** The country to search from, in two letters. @default 'US' */
      country?: string;
      /** Where to search. @default ["web"] */
      sources?: Array<'web' | 'images' | 'news'>;
      /** Only pages of these kinds. */
      categories?: Array<'github' | 'research' | 'pdf'>;
      /** The place to search from, such as `Berlin,Germany`. */
      location?: string;
      /** Read each result, and return this of it; every page costs. */
      scrapeFormats?: Array<'markdown' | 'html' | 'links' | 'summary'>;
      /** Milliseconds until the search is given up. @default 60000 */
      timeout?: number;
    };
    response: {
      query: string;
      creditsUsed: number | null;
      results: Array<{
        url: string;
        title: string | null;
        snippet: string | null;
        markdown: string | null;
        category: string | null;
        html: string | null;
        links: string[];
        summary: string | null;
      }>;
      images: Array<{
        imageUrl: string;
        title: string | null;
        pageUrl: string | null;
        width: number | null;
        height: number | null;
      }>;
      news: Array<{
        url: string;
        title: string | null;
        snippet: string | null;
        /** As the source says, such as `2 days ago`. */
        date: string | null;
        imageUrl: string | null;
        markdown: string | null;
      }>;
    };
  };
  /** The weather now. */
  'current-weather': {
    get: true;
    request: {
      /** A city's name, or with its country or region, such as `Paris, France`; or give both coordinates. */
      city?: string;
      /** Degrees to the north. */
      latitude?: number;
      /** Degrees to the east. */
      longitude?: number;
      /** °C, km/h and mm, or °F, mph and inches. @default 'metric' */
      units?: 'metric' | 'imperial';
      /** The language of the city's name, in the call and the answer. @default 'en' */
      language?: string;
    };
    response: {
      place: {
        name: string | null;
        country: string | null;
        latitude: number | null;
        longitude: number | null;
        timezone: string | null;
      };
      /** The unit of each value, by the vendor's name for it, such as `temperature_2m`. */
      units: unknown;
      current: {
        /** In the place's own time zone. */
        time: string;
        weatherCode: number | null;
        condition: string;
        temperature: number | null;
        feelsLike: number | null;
        humidity: number | null;
        precipitation: number | null;
        cloudCover: number | null;
        pressure: number | null;
        windSpeed: number | null;
        windDirection: number | null;
        windGusts: number | null;
        isDay: boolean;
      };
    };
  };
  /** Where an icon's file can be downloaded. */
  'download-icon': {
    get: false;
    request: {
      /** The icon's `id`. */
      id: number;
      /** The file's format; beside `svg` and `png`, for animated icons only. @default 'svg' */
      format?: 'svg' | 'png' | 'gif' | 'mp4' | 'aep' | 'json' | 'psd' | 'eps';
      /** Pixels of a PNG's side: 16, 24, 32, 64, 128, 256 or 512, which is the default. */
      pngSize?: number;
    };
    response: {
      id: number;
      filename: string | null;
      /** Copy it soon: how long the address is good is not documented. */
      url: string;
      format: string;
    };
  };
  /** Where a stock image's files can be downloaded. */
  'download-stock-image': {
    get: false;
    request: {
      /** The image's `id`. */
      id: number;
      /** The longest side of a photo: small, medium, large, original, or 100px to 2000px. */
      imageSize?: string;
      /** Only the files of this format; not with `imageSize`. */
      format?: 'psd' | 'ai' | 'eps' | 'atn' | 'fonts' | 'resources' | 'png' | 'jpg' | '3d-render' | 'svg' | 'mockup';
    };
    response: {
      filename: string | null;
      /** Copy it soon: how long the address is good is not documented. */
      url: string;
      id: number;
      files: Array<{
        filename: string | null;
        /** Copy it soon: how long the address is good is not documented. */
        url: string;
      }>;
    };
  };
  /** Where a stock video can be downloaded. */
  'download-stock-video': {
    get: false;
    request: {
      /** The video's `id`. */
      id: number;
      /** The id of one of the video's options, each with a resolution and a codec of its own. Only Magnific's `GET /v1/videos/{id}` lists these ids; `search-stock-videos` does not. */
      optionId?: number;
    };
    response: {
      id: number;
      filename: string | null;
      /** Copy it soon: how long the address is good is not documented. */
      url: string;
    };
  };
  /** Put a file into the trash, where it stays for 30 days, or delete it for good. */
  'drive-delete': {
    get: false;
    request: {
      /** The file's id. */
      fileId: string;
      /** Whether it is deleted for good, past the trash. @default false */
      permanent?: boolean;
    };
    response: { id: string; deleted: boolean; permanent: boolean };
  };
  /** The content of a file of at most 5 MiB: in base64, above 256 KiB as a URL. */
  'drive-download': {
    get: true;
    request: {
      /** The file's id. */
      fileId: string;
      /** What to convert one of Google's own documents to. Without it, a spreadsheet becomes CSV (its first sheet), a script JSON and any other document PDF. */
      exportMimeType?: string;
      /** Whether to download it even if Google takes it for malware or spam. @default false */
      acknowledgeAbuse?: boolean;
    };
    response: {
      id: string;
      name: string | null;
      mimeType: string;
      size: number;
      /** Of up to 256 KiB. */
      contentBase64: string | null;
      media: {
        /** Works for anybody for ten minutes, then with your bearer token. */
        url: string;
        /** Its media type, such as image/png. */
        mediaType: string;
        /** Its size. */
        bytes: number;
        /** When it is deleted. */
        expiresAt: string;
      } | null;
    };
  };
  'drive-list': Endpoints['cloudsuite/drive-list'];
  /** Upload a new file of at most 5 MiB. */
  'drive-upload': {
    get: false;
    request: {
      /** The file's name. */
      name: string;
      /** What is in the file, as text. */
      content?: string;
      /** What is in the file, in base64. */
      contentBase64?: string;
      /** Its media type. */
      mimeType?: string;
      /** The folder to put it in. */
      folderId?: string;
      /** The kind of Google's own documents to make of it. */
      convertTo?: string;
    };
    response: {
      id: string;
      name: string | null;
      mimeType: string | null;
      /** Bytes, as text. */
      size: string | null;
      modifiedTime: string | null;
      createdTime: string | null;
      url: string | null;
      iconUrl: string | null;
      parents: string[] | null;
      shared: boolean | null;
      owner: string | null;
      isFolder: boolean;
    };
  };
  /** Articles of an encyclopedia that match a query. */
  'encyclopedia-search': {
    get: true;
    request: {
      /** The language of the encyclopedia, as in its host name: `en`, `de`, `zh-yue`, `simple`. @default 'en' */
      language?: string;
      /** What to search for. */
      query: string;
      /** Number of results. @default 10 */
      limit?: number;
    };
    response: {
      query: string;
      results: Array<{
        pageId: number;
        key: string;
        title: string | null;
        description: string | null;
        excerpt: string | null;
        thumbnailUrl: string | null;
        url: string;
      }>;
    };
  };
  /** The beginning of an encyclopedia's article. Its text is CC BY-SA: show `url` with it. */
  'encyclopedia-summary': {
    get: true;
    request: {
      /** The language of the encyclopedia, as in its host name: `en`, `de`, `zh-yue`, `simple`. @default 'en' */
      language?: string;
      /** The article's title. Redirects are followed. */
      title: string;
    };
    response: {
      title: string;
      pageId: number | null;
      description: string | null;
      extract: string | null;
      extractHtml: string | null;
      url: string;
      thumbnailUrl: string | null;
      imageUrl: string | null;
      coordinates: { latitude: number; longitude: number } | null;
      language: string | null;
      lastModified: string | null;
      isDisambiguation: boolean;
    };
  };
  /** Extend a picture beyond its borders. */
  'expand-image': {
    get: false;
    request: {
      /** The picture to extend. Its address, or base64 of at most 5 MiB. */
      image: string;
      /** Pixels to add at the left. @default 0 */
      left?: number;
      /** Pixels to add at the right. @default 0 */
      right?: number;
      /** Pixels to add at the top. @default 0 */
      top?: number;
      /** Pixels to add at the bottom. @default 0 */
      bottom?: number;
      /** What the new parts show. */
      prompt?: string;
      /** Repeats a picture, with the same parameters; not with `flux-pro`. */
      seed?: number;
      /** The model that extends it. @default 'seedream-v4-5' */
      model?: 'seedream-v4-5' | 'flux-pro' | 'ideogram';
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Flights with prices, in local times. The return flight needs a second call. */
  'flights': {
    get: true;
    request: {
      /** The currency of prices, as three letters. @default 'USD' */
      currency?: string;
      /** The language of the answer. @default 'en' */
      language?: string;
      /** The country to search from, as two letters. @default 'us' */
      country?: string;
      /** Airports to fly to, as IATA codes with commas between them, or ids such as `/m/0vzm`. */
      to: string;
      /** The day of departure. */
      departDate: string;
      /** The day of the way back. */
      returnDate?: string;
      /** By default a round trip if there is a returnDate. */
      tripType?: 'round_trip' | 'one_way';
      /** Number of adults. @default 1 */
      adults?: number;
      /** Number of children. @default 0 */
      children?: number;
      /** The class. @default 'economy' */
      cabin?: 'economy' | 'premium_economy' | 'business' | 'first';
      /** How many stops at most. @default 'any' */
      maxStops?: 'any' | 'nonstop' | '1' | '2';
      /** The highest price. */
      maxPrice?: number;
      /** What to sort by. @default 'top' */
      sort?: 'top' | 'price' | 'departure' | 'arrival' | 'duration' | 'emissions';
      /** Only these airlines, as IATA codes, or alliances such as `STAR_ALLIANCE`. */
      airlines?: string[];
      /** The `departureToken` of a flight: the answer has the flights back. */
      departureToken?: string;
      /** Airports to fly from, as IATA codes with commas between them, or ids such as `/m/0vzm`. */
      from: string;
    };
    response: {
      flights: Array<{
        segments: Array<{
          airline: string | null;
          flightNumber: string | null;
          airplane: string | null;
          travelClass: string | null;
          from: string | null;
          fromName: string | null;
          /** Local, such as `2027-01-15 10:20`. */
          departAt: string | null;
          to: string | null;
          toName: string | null;
          /** Local. */
          arriveAt: string | null;
          durationMin: number | null;
        }>;
        price: number | null;
        type: string | null;
        totalDurationMin: number | null;
        layovers: Array<{
          airport: string | null;
          code: string | null;
          durationMin: number | null;
          overnight: boolean | null;
        }>;
        carbonGrams: number | null;
        departureToken: string | null;
        bookingToken: string | null;
      }>;
      priceInsights: { lowest: number | null; level: string | null; typicalRange: number[] } | null;
      currency: string | null;
    };
  };
  /** Football fixtures, with their scores. */
  'football/fixtures': {
    get: true;
    request: {
      /** The fixture's number. */
      id?: number;
      /** The numbers of several fixtures. */
      ids?: number[];
      /** Only those in play: `all`, or the numbers of leagues with `-` between them. */
      live?: string;
      /** Only those of this day. */
      date?: string;
      /** Only those in this league; needs a season, `last`, `next` or `live` too. */
      league?: number;
      /** The year in which the season begins; needs another filter too. */
      season?: number;
      /** Only those of this team; needs a season, `last`, `next` or `live` too. */
      team?: number;
      /** Only so many that were played last. */
      last?: number;
      /** Only so many that are played next. */
      next?: number;
      /** Only up to this day; with a league or a team, and its season. */
      to?: string;
      /** Only this round, such as `Regular Season - 1`. */
      round?: string;
      /** Only with these statuses, by their codes with `-` between them, such as `NS-PST-FT`. */
      status?: string;
      /** Only those at this venue. */
      venue?: number;
      /** The time zone of the dates, such as `Europe/London`; UTC unless given. */
      timezone?: string;
      /** Only from this day on; with a league or a team, and its season. */
      from?: string;
    };
    response: {
      fixtures: Array<{
        id: number;
        date: string | null;
        status: string | null;
        statusText: string | null;
        elapsed: number | null;
        venue: string | null;
        league: { id: number; name: string | null; round: string | null; season: number | null };
        home: { id: number | null; name: string | null; logo: string | null; goals: number | null };
        away: { id: number | null; name: string | null; logo: string | null; goals: number | null };
      }>;
    };
  };
  /** Football players who miss or may miss a fixture, injured or suspended. */
  'football/injuries': {
    get: true;
    request: {
      /** Only those in this league; needs a season or a date too. */
      league?: number;
      /** The year in which the season begins. */
      season?: number;
      /** Only those for this fixture. */
      fixture?: number;
      /** Only those of this team; needs a season or a date too. */
      team?: number;
      /** Only those of this player; needs a season or a date too. */
      player?: number;
      /** Only those of this day. */
      date?: string;
      /** The numbers of several fixtures. */
      ids?: number[];
      /** The time zone of the dates, such as `Europe/London`; UTC unless given. */
      timezone?: string;
    };
    response: {
      injuries: Array<{
        player: { id: number | null; name: string | null; photo: string | null };
        type: string | null;
        reason: string | null;
        team: { id: number; name: string | null; logo: string | null } | null;
        fixture: { id: number; date: string | null } | null;
        league: { id: number; name: string | null; season: number | null } | null;
      }>;
    };
  };
  /** Football leagues and cups, with their seasons. */
  'football/leagues': {
    get: true;
    request: {
      /** The league's number. */
      id?: number;
      /** The whole name. */
      name?: string;
      /** Only those of this country, by its name. */
      country?: string;
      /** Only those of this country, by its code, such as `FR` or `GB-ENG`. */
      code?: string;
      /** Only leagues with this season, by the year in which it begins. */
      season?: number;
      /** Only those in which this team has played. */
      team?: number;
      /** Only leagues, or only cups. */
      type?: 'league' | 'cup';
      /** Only leagues whose season is in progress, or is not. */
      current?: boolean;
      /** A piece of the league's or the country's name. */
      search?: string;
      /** Only so many that were added last. */
      last?: number;
    };
    response: {
      leagues: Array<{
        id: number;
        name: string | null;
        type: string | null;
        logo: string | null;
        country: string | null;
        countryCode: string | null;
        seasons: Array<{ year: number; start: string | null; end: string | null; current: boolean | null }>;
      }>;
    };
  };
  /** How a football fixture is expected to end, and how its teams compare. */
  'football/predictions': {
    get: true;
    request: {
      /** The fixture's number. */
      fixture: number;
    };
    response: {
      prediction: {
        winner: { id: number | null; name: string | null; comment: string | null } | null;
        winOrDraw: boolean | null;
        underOver: string | null;
        goals: { home: string | null; away: string | null } | null;
        advice: string | null;
        percent: { home: string | null; draw: string | null; away: string | null } | null;
      } | null;
      league: { id: number; name: string | null; season: number | null } | null;
      teams: {
        home: { id: number; name: string | null; logo: string | null } | null;
        away: { id: number; name: string | null; logo: string | null } | null;
      } | null;
      comparison: {
        form: { home: string | null; away: string | null } | null;
        att: { home: string | null; away: string | null } | null;
        poissonDistribution: { home: string | null; away: string | null } | null;
        h2h: { home: string | null; away: string | null } | null;
        goals: { home: string | null; away: string | null } | null;
        total: { home: string | null; away: string | null } | null;
        def: { home: string | null; away: string | null } | null;
      } | null;
    };
  };
  /** The tables of a football league, or of all leagues of a team. */
  'football/standings': {
    get: true;
    request: {
      /** The league's number; or give a team. */
      league?: number;
      /** The year in which the season begins. */
      season: number;
      /** A team's number: the tables of its leagues, or its row of one. */
      team?: number;
    };
    response: {
      league: { id: number; name: string | null; country: string | null; season: number | null } | null;
      groups: Array<{
        name: string | null;
        league: { id: number; name: string | null; country: string | null; season: number | null };
        table: Array<{
          rank: number;
          team: { id: number; name: string | null; logo: string | null };
          points: number | null;
          goalDifference: number | null;
          form: string | null;
          played: number | null;
          won: number | null;
          drawn: number | null;
          lost: number | null;
          goalsFor: number | null;
          goalsAgainst: number | null;
          description: string | null;
        }>;
      }>;
    };
  };
  /** Football teams, with their venues. */
  'football/teams': {
    get: true;
    request: {
      /** The team's number. */
      id?: number;
      /** The whole name. */
      name?: string;
      /** Only those in this league. */
      league?: number;
      /** Only those that play in this season, by the year in which it begins. */
      season?: number;
      /** Only those of this country, by its name. */
      country?: string;
      /** The team's code, such as `MUN`. */
      code?: string;
      /** Only the teams of this venue. */
      venue?: number;
      /** A piece of the name. */
      search?: string;
    };
    response: {
      teams: Array<{
        id: number;
        name: string | null;
        code: string | null;
        country: string | null;
        founded: number | null;
        national: boolean | null;
        logo: string | null;
        venue: { id: number | null; name: string | null; city: string | null; capacity: number | null } | null;
      }>;
    };
  };
  /** The transfers of a football player, or of all players of a team. */
  'football/transfers': {
    get: true;
    request: {
      /** A player's number; or give a team. */
      player?: number;
      /** A team's number; or give a player. */
      team?: number;
    };
    response: {
      transfers: Array<{
        player: { id: number; name: string | null };
        updated: string | null;
        moves: Array<{
          date: string | null;
          type: string | null;
          from: { id: number | null; name: string | null; logo: string | null } | null;
          to: { id: number | null; name: string | null; logo: string | null } | null;
        }>;
      }>;
    };
  };
  /** Make a picture with the model that suits the prompt, and say which and why. */
  'generate-image': {
    get: false;
    request: {
      /** What the picture shows. */
      prompt: string;
      /** `auto` picks `llm` for text that can be read, `mystic` for photographs and high quality, `hyperflux` for drafts, and `seedream-v4` for the rest. @default 'auto' */
      model?: 'auto' | 'mystic' | 'flux-dev' | 'flux-pro' | 'hyperflux' | 'seedream' | 'seedream-v4' | 'llm';
      /** What the picture is for. @default 'standard' */
      quality?: 'draft' | 'standard' | 'high';
      /** What the picture is to look like. */
      style?: 'photo' | 'illustration';
      /** Width to height. @default 'square_1_1' */
      aspectRatio?: 'square_1_1' | 'widescreen_16_9' | 'social_story_9_16' | 'portrait_2_3' | 'traditional_3_4' | 'standard_3_2' | 'classic_4_3' | '1:1' | '16:9' | '9:16' | '2:3' | '3:4' | '3:2' | '4:3';
      /** Repeats a picture, with the same parameters; `mystic` and `llm` don't know it. */
      seed?: number;
      /** Seconds to hold the call open for the result. @default 0 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model, as in the names of the endpoints `generate-image-…`. */
      model?: string;
      /** Why it was picked. */
      reason?: string;
      result?: {
        /** The model, as in the names of the endpoints `generate-image-…`. */
        model: string;
        /** Why it was picked. */
        reason: string;
        images: Array<{
          /** Of `llm`: in this service, until `expiresAt`. Of others: Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
          mediaType: string | null;
          bytes: number | null;
          expiresAt: string | null;
        }>;
      };
    };
  };
  /** Make pictures at once with the fast and cheap Classic model. */
  'generate-image-classic': {
    get: false;
    request: {
      /** What the picture shows. */
      prompt: string;
      /** What to avoid. */
      negativePrompt?: string;
      /** The style. */
      style?: 'photo' | 'digital-art' | '3d' | 'painting' | 'low-poly' | 'pixel-art' | 'anime' | 'cyberpunk' | 'comic' | 'vintage' | 'cartoon' | 'vector' | 'studio-shot' | 'dark' | 'sketch' | 'mockup' | '2000s-pone' | '70s-vibe' | 'watercolor' | 'art-nouveau' | 'origami' | 'surreal' | 'fantasy' | 'traditional-japan';
      /** The tones. */
      color?: 'b&w' | 'pastel' | 'sepia' | 'dramatic' | 'vibrant' | 'orange&teal' | 'film-filter' | 'split' | 'electric' | 'pastel-pink' | 'gold-glow' | 'autumn' | 'muted-green' | 'deep-teal' | 'duotone' | 'terracotta&teal' | 'red&blue' | 'cold-neon' | 'burgundy&blue';
      /** The light. */
      lighting?: 'studio' | 'warm' | 'cinematic' | 'volumetric' | 'golden-hour' | 'long-exposure' | 'cold' | 'iridescent' | 'dramatic' | 'hardlight' | 'redscale' | 'indoor-light';
      /** The view. */
      framing?: 'portrait' | 'macro' | 'panoramic' | 'aerial-view' | 'close-up' | 'cinematic' | 'high-angle' | 'low-angle' | 'symmetry' | 'fish-eye' | 'first-person';
      /** The dominant colors. */
      colors?: Array<{
        /** `#RRGGBB`. */
        color: string;
        /** How much of it. */
        weight: number;
      }>;
      /** Width to height. @default 'square_1_1' */
      aspectRatio?: 'square_1_1' | 'widescreen_16_9' | 'social_story_9_16' | 'portrait_2_3' | 'traditional_3_4' | 'standard_3_2' | 'classic_4_3' | 'smartphone_horizontal_20_9' | 'smartphone_vertical_9_20' | 'horizontal_2_1' | 'vertical_1_2' | 'social_5_4' | 'social_post_4_5' | '1:1' | '16:9' | '9:16' | '2:3' | '3:4' | '3:2' | '4:3' | '20:9' | '9:20' | '2:1' | '1:2' | '5:4' | '4:5';
      /** Number of pictures. @default 1 */
      numImages?: number;
      /** How closely to follow the prompt. @default 1.0 */
      guidanceScale?: number;
      /** Repeats a picture, with the same parameters; any if it is not given. */
      seed?: number;
      /** Leave out what is indecent. @default true */
      filterNsfw?: boolean;
    };
    response: {
      images: Array<{
        /** Works for anybody for ten minutes, then with your bearer token. */
        url: string;
        /** Its media type, such as image/png. */
        mediaType: string;
        /** Its size. */
        bytes: number;
        /** When it is deleted. */
        expiresAt: string;
        hasNsfw: boolean;
      }>;
      meta: { seed: number | null; width: number | null; height: number | null };
    };
  };
  /** Make a picture with Flux Dev. */
  'generate-image-flux-dev': {
    get: false;
    request: {
      /** What the picture shows. */
      prompt: string;
      /** Width to height. @default 'square_1_1' */
      aspectRatio?: 'square_1_1' | 'widescreen_16_9' | 'social_story_9_16' | 'portrait_2_3' | 'traditional_3_4' | 'standard_3_2' | 'classic_4_3' | 'horizontal_2_1' | 'vertical_1_2' | 'social_post_4_5' | '1:1' | '16:9' | '9:16' | '2:3' | '3:4' | '3:2' | '4:3' | '2:1' | '1:2' | '4:5';
      /** The tones. */
      color?: 'softhue' | 'b&w' | 'goldglow' | 'vibrant' | 'coldneon';
      /** The view. */
      framing?: 'portrait' | 'lowangle' | 'midshot' | 'wideshot' | 'tiltshot' | 'aerial';
      /** The light. */
      lighting?: 'iridescent' | 'dramatic' | 'goldenhour' | 'longexposure' | 'indorlight' | 'flash' | 'neon';
      /** The dominant colors. */
      colors?: Array<{
        /** `#RRGGBB`. */
        color: string;
        /** How much of it. */
        weight: number;
      }>;
      /** Repeats a picture, with the same parameters; any if it is not given. */
      seed?: number;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Make a picture with Flux Pro 1.1. */
  'generate-image-flux-pro': {
    get: false;
    request: {
      /** What the picture shows. */
      prompt: string;
      /** Width to height. @default 'square_1_1' */
      aspectRatio?: 'square_1_1' | 'widescreen_16_9' | 'social_story_9_16' | 'portrait_2_3' | 'traditional_3_4' | 'standard_3_2' | 'classic_4_3' | 'horizontal_2_1' | 'vertical_1_2' | 'social_post_4_5' | '1:1' | '16:9' | '9:16' | '2:3' | '3:4' | '3:2' | '4:3' | '2:1' | '1:2' | '4:5';
      /** Let the model embellish the prompt. @default false */
      promptUpsampling?: boolean;
      /** How much to let pass: 0 is the strictest. @default 2 */
      safetyTolerance?: number;
      /** The kind of file. */
      outputFormat?: 'jpeg' | 'png';
      /** Repeats a picture, with the same parameters; any if it is not given. */
      seed?: number;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Make a picture with HyperFlux, the fastest of the Flux models. */
  'generate-image-hyperflux': {
    get: false;
    request: {
      /** What the picture shows. */
      prompt: string;
      /** Width to height. @default 'square_1_1' */
      aspectRatio?: 'square_1_1' | 'widescreen_16_9' | 'social_story_9_16' | 'portrait_2_3' | 'traditional_3_4' | 'standard_3_2' | 'classic_4_3' | 'horizontal_2_1' | 'vertical_1_2' | 'social_post_4_5' | '1:1' | '16:9' | '9:16' | '2:3' | '3:4' | '3:2' | '4:3' | '2:1' | '1:2' | '4:5';
      /** The tones. */
      color?: 'softhue' | 'b&w' | 'goldglow' | 'vibrant' | 'coldneon';
      /** The view. */
      framing?: 'portrait' | 'lowangle' | 'midshot' | 'wideshot' | 'tiltshot' | 'aerial';
      /** The light. */
      lighting?: 'iridescent' | 'dramatic' | 'goldenhour' | 'longexposure' | 'indorlight' | 'flash' | 'neon';
      /** The dominant colors. */
      colors?: Array<{
        /** `#RRGGBB`. */
        color: string;
        /** How much of it. */
        weight: number;
      }>;
      /** Repeats a picture, with the same parameters; any if it is not given. */
      seed?: number;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Images made by a language model, stored for a day. */
  'generate-image-llm': {
    get: false;
    request: {
      /** What to show. */
      prompt: string;
      /** The model; without it, the one that the operator has set. */
      model?: 'gpt-image-2' | 'gpt-image-2.6-flare' | 'gpt-image-2.6-sunburst';
      /** Number of images. @default 1 */
      n?: number;
      /** `auto`, or width and height in pixels, such as 1536x1024: multiples of 16, at most 3:1. @default 'auto' */
      size?: string;
      /** How fine; the price depends on it. @default 'auto' */
      quality?: 'auto' | 'low' | 'medium' | 'high';
      /** The background; JPEG can't be transparent. @default 'auto' */
      background?: 'auto' | 'transparent' | 'opaque';
      /** The format of the files. @default 'png' */
      outputFormat?: 'png' | 'jpeg' | 'webp';
      /** The quality of JPEG and WebP files, in percent. */
      outputCompression?: number;
      /** How strictly content is judged. @default 'auto' */
      moderation?: 'auto' | 'low';
    };
    response: {
      images: Array<{
        /** Works for anybody for ten minutes, then with your bearer token. */
        url: string;
        /** Its media type, such as image/png. */
        mediaType: string;
        /** Its size. */
        bytes: number;
        /** When it is deleted. */
        expiresAt: string;
      }>;
      model: string;
      size: string | null;
      quality: string | null;
      usage: { inputTokens: number; outputTokens: number; totalTokens: number | null } | null;
    };
  };
  /** Make a picture with Mystic, as large as 4k. */
  'generate-image-mystic': {
    get: false;
    request: {
      /** What the picture shows. */
      prompt: string;
      /** The look; `fluid` follows the prompt best, and takes the ratios 1:1, 16:9, 9:16, 4:3 and 3:4 only. @default 'realism' */
      model?: 'realism' | 'fluid' | 'zen' | 'flexible' | 'super_real' | 'editorial_portraits';
      /** A 4k picture costs most. @default '2k' */
      resolution?: '1k' | '2k' | '4k';
      /** Width to height. @default 'square_1_1' */
      aspectRatio?: 'square_1_1' | 'widescreen_16_9' | 'social_story_9_16' | 'portrait_2_3' | 'traditional_3_4' | 'standard_3_2' | 'classic_4_3' | 'smartphone_horizontal_20_9' | 'smartphone_vertical_9_20' | 'horizontal_2_1' | 'vertical_1_2' | 'social_5_4' | '1:1' | '16:9' | '9:16' | '2:3' | '3:4' | '3:2' | '4:3' | '20:9' | '9:20' | '2:1' | '1:2' | '5:4';
      /** Detail per pixel, at the cost of an artificial look. @default 33 */
      creativeDetailing?: number;
      /** `illusio` is soft, `sharpy` is for photographs, `sparkle` between them. @default 'automatic' */
      engine?: 'automatic' | 'magnific_illusio' | 'magnific_sharpy' | 'magnific_sparkle';
      /** The same parameters make the same picture. @default false */
      fixedGeneration?: boolean;
      /** The dominant colors. */
      colors?: Array<{
        /** `#RRGGBB`. */
        color: string;
        /** How much of it. */
        weight: number;
      }>;
      /** A picture whose shapes to keep. Its address, or base64 of at most 5 MiB. */
      structureReference?: string;
      /** How much to keep them, with `structureReference`: 50 unless given. */
      structureStrength?: number;
      /** A picture whose style to keep. Its address, or base64 of at most 5 MiB. */
      styleReference?: string;
      /** How much to follow the prompt rather than that style, with `styleReference`: 50 unless given. */
      adherence?: number;
      /** Detail in that style, with `styleReference`, at the cost of an artificial look: 50 unless given. */
      hdr?: number;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Make a picture with Seedream. */
  'generate-image-seedream': {
    get: false;
    request: {
      /** What the picture shows. */
      prompt: string;
      /** Width to height. @default 'square_1_1' */
      aspectRatio?: 'square_1_1' | 'widescreen_16_9' | 'social_story_9_16' | 'portrait_2_3' | 'traditional_3_4' | 'standard_3_2' | 'classic_4_3' | '1:1' | '16:9' | '9:16' | '2:3' | '3:4' | '3:2' | '4:3';
      /** How closely to follow the prompt. @default 2.5 */
      guidanceScale?: number;
      /** Repeats a picture, with the same parameters; any if it is not given. */
      seed?: number;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Make a picture with Seedream 4. */
  'generate-image-seedream-v4': {
    get: false;
    request: {
      /** What the picture shows. */
      prompt: string;
      /** Width to height. @default 'square_1_1' */
      aspectRatio?: 'square_1_1' | 'widescreen_16_9' | 'social_story_9_16' | 'portrait_2_3' | 'traditional_3_4' | 'standard_3_2' | 'classic_4_3' | '1:1' | '16:9' | '9:16' | '2:3' | '3:4' | '3:2' | '4:3';
      /** How closely to follow the prompt. @default 2.5 */
      guidanceScale?: number;
      /** Repeats a picture, with the same parameters; any if it is not given. */
      seed?: number;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** A text written by a language model. */
  'generate-text': {
    get: false;
    request: {
      /** What to write; needed unless there are `messages`. */
      prompt?: string;
      /** Instructions, together with `prompt`. */
      systemPrompt?: string;
      /** A whole conversation: it replaces both prompts. */
      messages?: Array<{
        /** Whose message it is. */
        role: 'system' | 'user' | 'assistant';
        /** What it says. */
        content: string;
      }>;
      /** The model; without it, the one that the operator has set. */
      model?: 'gpt-5.4' | 'gpt-5.4-mini' | 'gpt-5.4-nano';
      /** The length of the text, with what the model thinks, in tokens. @default 4096 */
      maxTokens?: number;
      /** How freely to word the text. */
      temperature?: number;
      /** `json_object` gives JSON, and one of the prompts must have the word JSON. @default 'text' */
      responseFormat?: 'text' | 'json_object';
    };
    response: {
      text: string | null;
      refusal: string | null;
      model: string;
      finishReason: string;
      usage: {
        inputTokens: number;
        outputTokens: number;
        totalTokens: number | null;
        cachedTokens: number | null;
      } | null;
    };
  };
  /** Make a short video that begins with a picture. */
  'generate-video': {
    get: false;
    request: {
      /** The first picture, of 300 by 300 pixels or more. Its https address, or base64 of at most 5 MiB. */
      imageUrl: string;
      /** What happens. */
      prompt: string;
      /** What to avoid. */
      negativePrompt?: string;
      /** Seconds. @default '5' */
      duration?: '5' | '10';
      /** How closely to follow the prompt. @default 0.5 */
      cfgScale?: number;
      /** The model. @default 'kling-2.1-std' */
      model?: 'kling-2.1-std' | 'kling-2.1-pro' | 'kling-2.5-pro' | 'kling-2.6-pro';
      /** Width to height; only kling-2.6-pro takes it. */
      aspectRatio?: 'widescreen_16_9' | 'social_story_9_16' | 'square_1_1' | '16:9' | '9:16' | '1:1';
      /** Add sound; only kling-2.6-pro can, at twice the price. */
      generateAudio?: boolean;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        videos: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Places of a name, with their coordinates. */
  'geocode-city': {
    get: true;
    request: {
      /** The city's name, or with its country or region: `Paris, France`. */
      city: string;
      /** Number of results. @default 5 */
      count?: number;
      /** The language of the names in the answer. @default 'en' */
      language?: string;
      /** Only places in this country, in two letters. */
      countryCode?: string;
    };
    response: {
      results: Array<{
        id: number | null;
        name: string | null;
        latitude: number;
        longitude: number;
        country: string | null;
        countryCode: string | null;
        region: string | null;
        district: string | null;
        timezone: string | null;
        population: number | null;
        elevation: number | null;
      }>;
    };
  };
  /** Reply to a message, in its conversation. */
  'mail-reply': {
    get: false;
    request: {
      /** What it says. */
      content: string;
      /** Whether the content is HTML. @default false */
      isHtml?: boolean;
      /** Who gets a copy: addresses, separated by commas. */
      cc?: string;
      /** The message to reply to; a reply to one's own goes to whom that was sent to. */
      messageId: string;
      /** Also to everyone it was sent to, but for oneself. @default false */
      replyAll?: boolean;
    };
    response: { id: string; threadId: string; labels: string[]; sent: boolean };
  };
  /** A direct answer to a question, with its sources. */
  'neuralsearch-answer': {
    get: false;
    request: {
      /** The question. */
      query: string;
      /** Return the text of each source. @default false */
      text?: boolean;
      /** The JSON Schema that the answer must fit. */
      outputSchema?: Record<string, unknown>;
    };
    response: {
      requestId: string | null;
      costDollars: number | null;
      answer: unknown;
      citations: Array<{
        url: string;
        title: string | null;
        author: string | null;
        publishedDate: string | null;
        text: string | null;
      }>;
    };
  };
  /** The readable contents of pages. `statuses` names those that can't be read. */
  'neuralsearch-contents': {
    get: false;
    request: {
      /** The pages to read. */
      urls: string[];
      /** Return the text of each page. @default true */
      text?: boolean;
      /** Cut each text to this length. */
      maxCharacters?: number;
      /** Return the passages of each page that match this. */
      highlightsQuery?: string;
      /** Return a summary of each page that answers this. */
      summaryQuery?: string;
      /** Load a page anew if Exa's copy is older; 0 is always, -1 never. */
      maxAgeHours?: number;
      /** Pages to read as well that each page links to. @default 0 */
      subpages?: number;
      /** What those are about. */
      subpageTarget?: string;
    };
    response: {
      requestId: string | null;
      costDollars: number | null;
      results: Array<{
        url: string;
        id: string | null;
        title: string | null;
        publishedDate: string | null;
        author: string | null;
        image: string | null;
        favicon: string | null;
        text: string | null;
        highlights: string[] | null;
        summary: string | null;
      }>;
      statuses: Array<{ url: string; status: string | null; error: string | null }>;
    };
  };
  /** Pages that are similar to a given page. */
  'neuralsearch-find-similar': {
    get: false;
    request: {
      /** Number of results. @default 10 */
      numResults?: number;
      /** Only pages of this kind. */
      category?: 'company' | 'research paper' | 'publication' | 'news' | 'personal site' | 'financial report' | 'people';
      /** Only pages of these domains. With the category `people`, only domains of LinkedIn are accepted. */
      includeDomains?: string[];
      /** No pages of these domains; not for companies and people. */
      excludeDomains?: string[];
      /** Only pages published after it. */
      startPublishedDate?: string;
      /** Only pages published before it. */
      endPublishedDate?: string;
      /** Return the text of each page. @default false */
      text?: boolean;
      /** Return the passages of each page that match best. @default true */
      highlights?: boolean;
      /** Return a summary of each page that answers this. */
      summaryQuery?: string;
      /** Load a page anew if Exa's copy is older; 0 is always, -1 never. */
      maxAgeHours?: number;
      /** The page to compare with. */
      url: string;
      /** Leave out pages of the same domain. @default true */
      excludeSourceDomain?: boolean;
    };
    response: {
      requestId: string | null;
      costDollars: number | null;
      results: Array<{
        url: string;
        id: string | null;
        title: string | null;
        publishedDate: string | null;
        author: string | null;
        image: string | null;
        favicon: string | null;
        text: string | null;
        highlights: string[] | null;
        summary: string | null;
      }>;
      sourceUrl: string;
    };
  };
  /** A researched report with its sources, which may take ten minutes. */
  'neuralsearch-research': {
    get: false;
    request: {
      /** What to find out. */
      query: string;
      /** Instructions to the agent. */
      systemPrompt?: string;
      /** How thorough to be: each has a price of its own, and `auto` costs what it takes. @default 'auto' */
      effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'auto';
      /** The JSON Schema that `structured` must fit. */
      outputSchema?: Record<string, unknown>;
      /** The `runId` of an earlier report of the caller's own, to go on from. */
      previousRunId?: string;
      /** Seconds to hold the call open for the result. @default 0 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      result?: {
        runId: string;
        report: string | null;
        structured: unknown;
        citations: Array<{ url: string; title: string | null }>;
        stopReason: string | null;
        costDollars: number | null;
      };
    };
  };
  /** Web search by meaning. */
  'neuralsearch-search': {
    get: false;
    request: {
      /** Number of results. @default 10 */
      numResults?: number;
      /** Only pages of this kind. */
      category?: 'company' | 'research paper' | 'publication' | 'news' | 'personal site' | 'financial report' | 'people';
      /** Only pages of these domains. With the category `people`, only domains of LinkedIn are accepted. */
      includeDomains?: string[];
      /** No pages of these domains; not for companies and people. */
      excludeDomains?: string[];
      /** Only pages published after it. */
      startPublishedDate?: string;
      /** Only pages published before it. */
      endPublishedDate?: string;
      /** Return the text of each page. @default false */
      text?: boolean;
      /** Return the passages of each page that match best. @default true */
      highlights?: boolean;
      /** Return a summary of each page that answers this. */
      summaryQuery?: string;
      /** Load a page anew if Exa's copy is older; 0 is always, -1 never. */
      maxAgeHours?: number;
      /** What to search for. */
      query: string;
      /** How much effort to spend, from the fastest to the best. @default 'auto' */
      type?: 'instant' | 'fast' | 'auto' | 'deep-lite' | 'deep' | 'deep-reasoning';
      /** The country of the user, in two letters. */
      userLocation?: string;
      /** Leave out unsafe pages. @default false */
      moderation?: boolean;
    };
    response: {
      requestId: string | null;
      costDollars: number | null;
      results: Array<{
        url: string;
        id: string | null;
        title: string | null;
        publishedDate: string | null;
        author: string | null;
        image: string | null;
        favicon: string | null;
        text: string | null;
        highlights: string[] | null;
        summary: string | null;
      }>;
    };
  };
  /** News articles that match a query, or of some sources or domains. */
  'news-search': {
    get: true;
    request: {
      /** Articles of a page. @default 20 */
      pageSize?: number;
      /** The page's number. @default 1 */
      page?: number;
      /** What to search for; `"a phrase"`, `+must`, `-not`, AND, OR and NOT are understood. */
      query?: string;
      /** Where the words must stand; by default, anywhere. */
      searchIn?: Array<'title' | 'description' | 'content'>;
      /** Only articles of these sources, by their ids. */
      sources?: string[];
      /** Only articles of these domains. */
      domains?: string[];
      /** No articles of these domains. */
      excludeDomains?: string[];
      /** Only articles from this day on, or a time of it in UTC. */
      fromDate?: string;
      /** Only articles until this day, or a time of it in UTC. */
      toDate?: string;
      /** The language of the articles; by default, any. */
      language?: 'ar' | 'de' | 'en' | 'es' | 'fr' | 'he' | 'it' | 'nl' | 'no' | 'pt' | 'ru' | 'sv' | 'ud' | 'zh';
      /** What to sort by: how well an article matches, its source's popularity, or its time. @default 'publishedAt' */
      sortBy?: 'relevancy' | 'popularity' | 'publishedAt';
    };
    response: {
      total: number;
      articles: Array<{
        url: string;
        title: string | null;
        description: string | null;
        content: string | null;
        author: string | null;
        sourceId: string | null;
        source: string | null;
        imageUrl: string | null;
        publishedAt: string | null;
      }>;
    };
  };
  /** Current headlines, by default of the US. */
  'news-top-headlines': {
    get: true;
    request: {
      /** Articles of a page. @default 20 */
      pageSize?: number;
      /** The page's number. @default 1 */
      page?: number;
      /** The country; not with `sources`. */
      country?: 'us';
      /** The kind of news; not with `sources`. */
      category?: 'business' | 'entertainment' | 'general' | 'health' | 'science' | 'sports' | 'technology';
      /** Only articles of these sources, by their ids. */
      sources?: string[];
      /** Words that a headline has. */
      query?: string;
    };
    response: {
      total: number;
      articles: Array<{
        url: string;
        title: string | null;
        description: string | null;
        content: string | null;
        author: string | null;
        sourceId: string | null;
        source: string | null;
        imageUrl: string | null;
        publishedAt: string | null;
      }>;
    };
  };
  /** Games of American football, with their scores. */
  'nfl/games': {
    get: true;
    request: {
      /** The game's number. */
      id?: number;
      /** Only those of this day. */
      date?: string;
      /** Only those in this league; with a season or a day, the NFL's unless a team is given. */
      league?: number;
      /** Only games of the season that begins in this year. */
      season?: number;
      /** Only those of this team; needs the season too. */
      team?: number;
      /** Only those between two teams, by their numbers: `1-5`. */
      h2h?: string;
      /** Only games that are being played. */
      live?: 'all';
      /** The time zone of the dates, such as `Europe/London`; UTC unless given. */
      timezone?: string;
    };
    response: {
      games: Array<{
        id: number;
        date: string | null;
        time: string | null;
        /** Seconds since 1970. */
        timestamp: number | null;
        stage: string | null;
        week: string | null;
        status: string | null;
        statusText: string | null;
        venue: string | null;
        league: { id: number; name: string | null; season: string | null };
        home: { id: number | null; name: string | null; logo: string | null; score: number | null };
        away: { id: number | null; name: string | null; logo: string | null; score: number | null };
        scores: {
          home: {
            quarter1: number | null;
            quarter2: number | null;
            quarter3: number | null;
            quarter4: number | null;
            overtime: number | null;
            total: number | null;
          } | null;
          away: {
            quarter1: number | null;
            quarter2: number | null;
            quarter3: number | null;
            quarter4: number | null;
            overtime: number | null;
            total: number | null;
          } | null;
        };
      }>;
    };
  };
  /** Leagues of American football, with their seasons. */
  'nfl/leagues': {
    get: true;
    request: {
      /** The league's number: 1 is the NFL, 2 is college football. */
      id?: number;
      /** Only leagues with the season that begins in this year. */
      season?: number;
      /** Only leagues whose season is running, or only the others. */
      current?: boolean;
    };
    response: {
      leagues: Array<{
        id: number;
        name: string | null;
        logo: string | null;
        country: string | null;
        countryCode: string | null;
        seasons: Array<{
          year: number;
          start: string | null;
          end: string | null;
          current: boolean | null;
          coverage: unknown | null;
        }>;
      }>;
    };
  };
  /** The statistics of a player, or of a team's players, in a season. */
  'nfl/player-stats': {
    get: true;
    request: {
      /** The player's number; or give a team. */
      player?: number;
      /** All players of this team. */
      team?: number;
      /** The year in which the season begins. */
      season: number;
    };
    response: {
      players: Array<{
        player: { id: number; name: string | null; image: string | null };
        teams: Array<{
          team: { id: number; name: string | null; logo: string | null };
          groups: Array<{
            name: string;
            stats: Array<{
              name: string;
              value: unknown | null;
            }>;
          }>;
        }>;
      }>;
    };
  };
  /** The tables of the divisions, row by row. */
  'nfl/standings': {
    get: true;
    request: {
      /** The league's number: the NFL's unless given. @default 1 */
      league?: number;
      /** The year in which the season begins. */
      season: number;
      /** Only this team. */
      team?: number;
      /** Only this conference, such as `American Football Conference`. */
      conference?: string;
      /** Only this division, such as `AFC East`. */
      division?: string;
    };
    response: {
      table: Array<{
        position: number | null;
        conference: string | null;
        division: string | null;
        team: { id: number; name: string | null; logo: string | null };
        won: number | null;
        lost: number | null;
        ties: number | null;
        pointsFor: number | null;
        pointsAgainst: number | null;
        pointDifference: number | null;
        records: {
          home: string | null;
          road: string | null;
          conference: string | null;
          division: string | null;
        } | null;
        streak: string | null;
      }>;
    };
  };
  /** Teams of American football, with their coach and stadium. */
  'nfl/teams': {
    get: true;
    request: {
      /** The team's number. */
      id?: number;
      /** Only those in this league; with a season, the NFL's unless given. */
      league?: number;
      /** Only teams of the season that begins in this year. */
      season?: number;
      /** The whole name. */
      name?: string;
      /** The team's letters, such as `LV`. */
      code?: string;
      /** A piece of the name. */
      search?: string;
    };
    response: {
      teams: Array<{
        id: number;
        name: string | null;
        logo: string | null;
        code: string | null;
        city: string | null;
        coach: string | null;
        stadium: string | null;
      }>;
    };
  };
  /** Captions, media and counts of a public post or profile, in a job. */
  'photosocial-extract-content': {
    get: true;
    request: {
      /** A public post, reel or profile: https://www.instagram.com/… */
      url: string;
      /** `posts` of a profile or the post itself, `details` of a profile, or a post's `comments`. @default 'posts' */
      resultsType?: 'posts' | 'details' | 'comments';
      /** Number of results. @default 1 */
      limit?: number;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      result?: {
        items: Array<{
          url: string | null;
          shortCode: string | null;
          type: string | null;
          caption: string | null;
          hashtags: string[];
          mentions: string[];
          /** Serves for some days, as all addresses of media do. */
          imageUrl: string | null;
          videoUrl: string | null;
          images: string[];
          likes: number | null;
          comments: number | null;
          views: number | null;
          postedAt: string | null;
          author: {
            username: string | null;
            name: string | null;
            biography: string | null;
            followers: number | null;
            posts: number | null;
          };
          location: string | null;
        }>;
        errors: Array<{ url: string | null; error: string }>;
      };
    };
  };
  /** Events of prediction markets, with the prices of their outcomes. */
  'predmarket-events': {
    get: true;
    request: {
      /** Events of a page. @default 20 */
      limit?: number;
      /** Events to skip. @default 0 */
      offset?: number;
      /** Whether trading is open. @default true */
      active?: boolean;
      /** Whether the event has ended. @default false */
      closed?: boolean;
      /** Only events with this tag, such as `politics`. */
      tagSlug?: string;
      /** Only the event with this slug. */
      slug?: string;
      /** What to sort by. @default 'volume24hr' */
      order?: 'volume24hr' | 'volume' | 'liquidity' | 'startDate' | 'endDate';
      /** The smallest first. @default false */
      ascending?: boolean;
      /** Only events with this traded volume or more, in US dollars. */
      volumeMin?: number;
      /** Only events that end after this time. */
      endDateMin?: string;
      /** Only events that end before this time. */
      endDateMax?: string;
    };
    response: {
      events: Array<{
        id: string;
        slug: string | null;
        title: string | null;
        description: string | null;
        startDate: string | null;
        endDate: string | null;
        active: boolean | null;
        closed: boolean | null;
        volume: number | null;
        volume24h: number | null;
        liquidity: number | null;
        image: string | null;
        markets: Array<{
          id: string;
          question: string | null;
          slug: string | null;
          conditionId: string | null;
          outcomes: string[];
          prices: Array<number | null>;
          tokenIds: string[];
          volume: number | null;
          liquidity: number | null;
          active: boolean | null;
          closed: boolean | null;
          endDate: string | null;
        }>;
      }>;
    };
  };
  /** The open orders for an outcome, the best prices first. */
  'predmarket-orderbook': {
    get: true;
    request: {
      /** The token of an outcome: one of a market's `tokenIds`. */
      tokenId: string;
    };
    response: {
      tokenId: string;
      market: string | null;
      /** Epoch milliseconds. */
      timestamp: string | null;
      bids: Array<{ price: number; size: number }>;
      asks: Array<{ price: number; size: number }>;
      tickSize: string | null;
      minOrderSize: string | null;
      lastTradePrice: string | null;
    };
  };
  /** The prices of an outcome over time, each from 0 to 1. */
  'predmarket-price-history': {
    get: true;
    request: {
      /** The token of an outcome: one of a market's `tokenIds`. */
      tokenId: string;
      /** How far back; `1m` is a month. By default a day, unless a time is given. `max` and `all` reach back as far as some thousand prices do. */
      interval?: 'max' | 'all' | '1m' | '1w' | '1d' | '6h' | '1h';
      /** Epoch seconds of the start. */
      startTs?: number;
      /** Epoch seconds of the end, at most 15 days after the start. */
      endTs?: number;
      /** Minutes between two prices: at least 5 with `1w` and 10 with `1m`. */
      fidelity?: number;
    };
    response: {
      tokenId: string;
      points: Array<{
        /** Seconds since 1970. */
        t: number;
        price: number;
      }>;
    };
  };
  /** Events of prediction markets that match words. */
  'predmarket-search': {
    get: true;
    request: {
      /** Words to look for. */
      query: string;
      /** Events of a page. @default 10 */
      limit?: number;
      /** The page's number. @default 1 */
      page?: number;
      /** The state of the events. @default 'active' */
      status?: 'active' | 'resolved';
      /** What to sort by, such as `volume_24hr`; by default, how well an event matches. */
      sort?: string;
    };
    response: {
      events: Array<{
        id: string;
        slug: string | null;
        title: string | null;
        description: string | null;
        startDate: string | null;
        endDate: string | null;
        active: boolean | null;
        closed: boolean | null;
        volume: number | null;
        volume24h: number | null;
        liquidity: number | null;
        image: string | null;
        markets: Array<{
          id: string;
          question: string | null;
          slug: string | null;
          conditionId: string | null;
          outcomes: string[];
          prices: Array<number | null>;
          tokenIds: string[];
          volume: number | null;
          liquidity: number | null;
          active: boolean | null;
          closed: boolean | null;
          endDate: string | null;
        }>;
      }>;
      hasMore: boolean | null;
      total: number | null;
    };
  };
  /** How well people fit a goal, judged by a language model from their profiles. */
  'profnet-analyze-profiles': {
    get: false;
    request: {
      /** Profiles as `profnet-search-profiles` answers them, or addresses such as `linkedin.com/in/somebody`, which are looked up. */
      profiles: Array<Record<string, unknown> | string>;
      /** What the people are meant for. */
      goal: string;
      /** What to look at. @default [] */
      criteria?: string[];
      /** How sure the vendor must be that a profile is the one of the address. @default 6 */
      minLikelihood?: number;
    };
    response: {
      analyses: Array<{
        profileUrl: string | null;
        name: string | null;
        /** 0 to 100. */
        score: number | null;
        strengths: string[];
        concerns: string[];
        summary: string;
      }>;
      notFound: string[];
      /** Profiles that the vendor has charged for. */
      lookedUp: number;
      model: string;
    };
  };
  /** Drafts of messages to people, written by a language model from their profiles. */
  'profnet-generate-messages': {
    get: false;
    request: {
      /** Profiles as `profnet-search-profiles` or `profnet-analyze-profiles` answer them. */
      profiles: Array<Record<string, unknown> | string>;
      /** What the messages are for. */
      purpose: string;
      /** Their tone. @default 'professional' */
      tone?: 'professional' | 'friendly' | 'direct';
      /** Where they go; a `connection_note` has at most 300 characters. @default 'connection_note' */
      channel?: 'connection_note' | 'message' | 'email';
      /** Who writes, and what to say of them. */
      sender?: string;
      /** The language to write in, as a code such as `en` or `pt-BR`. @default 'en' */
      language?: string;
    };
    response: {
      messages: Array<{
        profileUrl: string | null;
        name: string | null;
        /** Of an e-mail. */
        subject: string | null;
        body: string;
        characters: number;
      }>;
      model: string;
    };
  };
  /** Professional profiles by job title, company, place and skills. */
  'profnet-search-profiles': {
    get: true;
    request: {
      /** Words of the job's title. Give this or a filter. */
      query?: string;
      /** Words of the job's title. */
      title?: string;
      /** Words of the company's name. */
      company?: string;
      /** Words of the place, such as a city and its country. */
      location?: string;
      /** At least one of these skills. */
      skills?: string[];
      /** Profiles of a page. @default 5 */
      limit?: number;
      /** The `nextCursor` of the page before. */
      cursor?: string;
    };
    response: {
      profiles: Array<{
        id: string;
        name: string | null;
        title: string | null;
        company: string | null;
        location: string | null;
        industry: string | null;
        /** Without `https://`. */
        profileUrl: string | null;
        skills: string[];
        summary: string | null;
      }>;
      total: number | null;
      nextCursor: string | null;
    };
  };
  /** The constructors' championship: now, or after a race. */
  'racing-constructor-standings': {
    get: true;
    request: {
      /** A year from 1950 on, or `current`. @default 'current' */
      season?: string;
      /** The number of a race, or `last`: the standings after it. Without it, the newest. */
      round?: string;
    };
    response: {
      season: string;
      round: string | null;
      standings: Array<{
        position: string | null;
        points: string;
        wins: string | null;
        constructor: { id: string; name: string | null; nationality: string | null };
      }>;
    };
  };
  /** The drivers' championship: now, or after a race. */
  'racing-driver-standings': {
    get: true;
    request: {
      /** A year from 1950 on, or `current`. @default 'current' */
      season?: string;
      /** The number of a race, or `last`: the standings after it. Without it, the newest. */
      round?: string;
    };
    response: {
      season: string;
      round: string | null;
      standings: Array<{
        position: string | null;
        points: string;
        wins: string | null;
        driver: {
          id: string;
          code: string | null;
          name: string;
          number: string | null;
          nationality: string | null;
        };
        constructors: string[];
      }>;
    };
  };
  /** Lap times of a race, from 1996 on, lap by lap; `total` counts the times. */
  'racing-lap-times': {
    get: true;
    request: {
      /** Number of entries to skip; a page has at most 100. @default 0 */
      offset?: number;
      /** A year from 1950 on, or `current`. @default 'current' */
      season?: string;
      /** The race's number in the season, or `last`. @default 'last' */
      round?: string;
      /** Only this lap. */
      lap?: number;
      /** Only the laps of this driver, such as `max_verstappen`. */
      driverId?: string;
    };
    response: {
      race: {
        season: string;
        round: string;
        raceName: string;
        circuit: string | null;
        country: string | null;
        locality: string | null;
        date: string | null;
        /** In UTC, such as `15:00:00Z`. */
        time: string | null;
      } | null;
      laps: Array<{
        lap: string;
        timings: Array<{
          driverId: string;
          position: string | null;
          /** Minutes and seconds, such as `1:39.019`. */
          time: string | null;
        }>;
      }>;
      total: string;
      offset: string;
    };
  };
  /** Pit stops of a race, from 2011 on, in the order of their times. */
  'racing-pit-stops': {
    get: true;
    request: {
      /** Number of entries to skip; a page has at most 100. @default 0 */
      offset?: number;
      /** A year from 1950 on, or `current`. @default 'current' */
      season?: string;
      /** The race's number in the season, or `last`. @default 'last' */
      round?: string;
    };
    response: {
      race: {
        season: string;
        round: string;
        raceName: string;
        circuit: string | null;
        country: string | null;
        locality: string | null;
        date: string | null;
        /** In UTC, such as `15:00:00Z`. */
        time: string | null;
      } | null;
      pitStops: Array<{
        driverId: string;
        stop: string | null;
        lap: string | null;
        /** The time of the day at the circuit. */
        time: string | null;
        /** Such as `24.563`: seconds, after minutes if any. */
        duration: string | null;
      }>;
    };
  };
  /** The qualifying results of a race, with the times of the three rounds. */
  'racing-qualifying': {
    get: true;
    request: {
      /** A year from 1950 on, or `current`. @default 'current' */
      season?: string;
      /** The race's number in the season, or `last`. @default 'last' */
      round?: string;
    };
    response: {
      race: {
        season: string;
        round: string;
        raceName: string;
        circuit: string | null;
        country: string | null;
        locality: string | null;
        date: string | null;
        /** In UTC, such as `15:00:00Z`. */
        time: string | null;
      } | null;
      results: Array<{
        position: string | null;
        driver: {
          id: string;
          code: string | null;
          name: string;
          number: string | null;
          nationality: string | null;
        };
        constructor: string | null;
        q1: string | null;
        q2: string | null;
        q3: string | null;
      }>;
    };
  };
  /** The races of a season, with the times of their sessions in UTC. */
  'racing-schedule': {
    get: true;
    request: {
      /** Number of entries to skip; a page has at most 100. @default 0 */
      offset?: number;
      /** A year from 1950 on, or `current`. @default 'current' */
      season?: string;
    };
    response: {
      season: string;
      races: Array<{
        season: string;
        round: string;
        raceName: string;
        circuit: string | null;
        country: string | null;
        locality: string | null;
        date: string | null;
        /** In UTC, such as `15:00:00Z`. */
        time: string | null;
        sessions: {
          practice1: {
            date: string;
            /** In UTC. */
            time: string | null;
          } | null;
          practice2: {
            date: string;
            /** In UTC. */
            time: string | null;
          } | null;
          practice3: {
            date: string;
            /** In UTC. */
            time: string | null;
          } | null;
          qualifying: {
            date: string;
            /** In UTC. */
            time: string | null;
          } | null;
          sprint: {
            date: string;
            /** In UTC. */
            time: string | null;
          } | null;
          sprintQualifying: {
            date: string;
            /** In UTC. */
            time: string | null;
          } | null;
        };
      }>;
    };
  };
  /** The sprint of a race weekend. `race` is null if there was none. */
  'racing-sprint': {
    get: true;
    request: {
      /** A year from 1950 on, or `current`. @default 'current' */
      season?: string;
      /** The race's number in the season, or `last`. @default 'last' */
      round?: string;
    };
    response: {
      race: {
        season: string;
        round: string;
        raceName: string;
        circuit: string | null;
        country: string | null;
        locality: string | null;
        date: string | null;
        /** In UTC, such as `15:00:00Z`. */
        time: string | null;
      } | null;
      results: Array<{
        position: string | null;
        driver: {
          id: string;
          code: string | null;
          name: string;
          number: string | null;
          nationality: string | null;
        };
        constructor: string | null;
        points: string | null;
        grid: string | null;
        laps: string | null;
        status: string | null;
        time: string | null;
      }>;
    };
  };
  /** Change the light of a picture, by a text, another picture or a light map. */
  'relight-image': {
    get: false;
    request: {
      /** The picture to change. Its https address, or base64 of at most 5 MiB. */
      image: string;
      /** The light, in words; `(dark scene:1.3)` stresses a part. */
      prompt?: string;
      /** A picture whose light it takes; not with `lightmap`. Its https address, or base64 of at most 5 MiB. */
      referenceImage?: string;
      /** A picture that is light where light falls, and black elsewhere. Its https address, or base64 of at most 5 MiB. */
      lightmap?: string;
      /** How strong the new light is. @default 100 */
      lightTransferStrength?: number;
      /** Stay between the original and the new light, by `lightTransferStrength`. @default false */
      interpolateFromOriginal?: boolean;
      /** Change the background too; better not for landscapes and interiors. @default true */
      changeBackground?: boolean;
      /** The style of the light. @default 'standard' */
      style?: 'standard' | 'darker_but_realistic' | 'clean' | 'smooth' | 'brighter' | 'contrasted_n_hdr' | 'just_composition';
      /** Keep texture and small details. @default true */
      preserveDetails?: boolean;
      /** How bright it is, 50 unless given. */
      brightness?: number;
      /** How much contrast it has, 50 unless given. */
      contrast?: number;
      /** How strong its colors are, 50 unless given. */
      saturation?: number;
      /** The engine that makes it. */
      engine?: 'automatic' | 'balanced' | 'cool' | 'real' | 'illusio' | 'fairy' | 'colorful_anime' | 'hard_transform' | 'softy';
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Remove the background of a picture and keep the result for a day. */
  'remove-background': {
    get: false;
    request: {
      /** Where the picture is: a JPEG or PNG of at most 20 MB at a public https address. */
      imageUrl: string;
    };
    response: {
      image: {
        /** A PNG of at most 25 megapixels: in this service, until `expiresAt`. If that is null, it could not be copied, and is at Magnific for five minutes. */
        url: string;
        mediaType: string | null;
        bytes: number | null;
        expiresAt: string | null;
        highResolutionUrl: string | null;
        previewUrl: string | null;
      };
      originalUrl: string | null;
      /** How long Magnific's addresses are good. */
      expiresInSeconds: number;
    };
  };
  /** Create a room, or get the existing room of that name. */
  'rtc-create-room': {
    get: false;
    request: {
      /** The room's name. If the room exists, it gets the values of this call that are not 0. */
      name: string;
      /** Seconds that it stays while nobody has joined; 0 stands for the server's default. @default 300 */
      emptyTimeout?: number;
      /** Seconds that it stays when everybody has left; 0 stands for the server's default. @default 20 */
      departureTimeout?: number;
      /** How many may join; 0 stands for the server's default, which is usually no limit. @default 0 */
      maxParticipants?: number;
      /** A text that participants see. */
      metadata?: string;
    };
    response: {
      sid: string;
      emptyTimeout: number | null;
      maxParticipants: number | null;
      /** Seconds since 1970. */
      createdAt: number | null;
      metadata: string | null;
      numParticipants: number | null;
      /** The name that was asked for. */
      name: string;
    };
  };
  /** A token with which only the caller can join a room. */
  'rtc-join-room': {
    get: false;
    request: {
      /** The room's name; it is made if there is none. */
      room: string;
      /** The name that others see. */
      name?: string;
      /** A text that others see. */
      metadata?: string;
      /** May send sound and pictures. @default true */
      canPublish?: boolean;
      /** May receive them. @default true */
      canSubscribe?: boolean;
      /** May send data. @default true */
      canPublishData?: boolean;
      /** Seconds in which the token lets in. @default 21600 */
      ttlSeconds?: number;
    };
    response: { token: string; url: string; room: string; identity: string; expiresAt: string };
  };
  /** The participants of a room. The list is empty if the room does not exist. */
  'rtc-list-participants': {
    get: true;
    request: {
      /** The room's name. */
      room: string;
    };
    response: {
      participants: Array<{
        identity: string;
        sid: string | null;
        name: string | null;
        state: string | null;
        /** Seconds since 1970. */
        joinedAt: number | null;
        isPublisher: boolean;
        metadata: string | null;
        kind: string | null;
        tracks: Array<{ sid: string; type: string | null; source: string | null; muted: boolean }>;
      }>;
    };
  };
  /** A draft of an e-mail to a paper's author, written by a language model. */
  'scholar-draft-email': {
    get: false;
    request: {
      /** The paper that the e-mail is about: Semantic Scholar's id, a DOI, an arXiv id, `PMID:…`, `CorpusId:…`, or a link to one. */
      paperId?: string;
      /** The paper's title, if there is no `paperId`. */
      paperTitle?: string;
      /** Which of the paper's authors to write to; without a paper, whose papers to look for. */
      authorName?: string;
      /** What the e-mail is for. */
      purpose: string;
      /** Who writes. */
      senderName?: string;
      /** What the author should know of the sender. */
      senderBackground?: string;
      /** The tone of the e-mail. @default 'formal' */
      tone?: 'formal' | 'friendly' | 'concise';
      /** The language to write in, as a code such as `en` or `pt-BR`. @default 'en' */
      language?: string;
    };
    response: {
      subject: string;
      body: string;
      recipient: { name: string; affiliation: string | null };
      paper: { id: string; title: string | null; year: number | null; url: string | null };
      model: string;
    };
  };
  /** A paper's record with its BibTeX, or the papers that cite it or that it cites. */
  'scholar-get-citation-details': {
    get: true;
    request: {
      /** The paper, if not `title` names it: Semantic Scholar's id, a DOI, an arXiv id, `PMID:…`, `CorpusId:…`, or a link to one. */
      paperId?: string;
      /** The paper's title. */
      title?: string;
      /** Its record, the papers that cite it, or those that it cites. @default 'details' */
      view?: 'details' | 'citing' | 'references';
      /** Number of citations. @default 20 */
      limit?: number;
      /** Citations to leave out: the `nextOffset` of an earlier answer. @default 0 */
      offset?: number;
    };
    response: {
      paper: {
        id: string;
        title: string | null;
        abstract: string | null;
        tldr: string | null;
        authors: Array<{ name: string; id: string | null }>;
        year: number | null;
        publicationDate: string | null;
        venue: string | null;
        doi: string | null;
        arxivId: string | null;
        citationCount: number | null;
        influentialCitationCount: number | null;
        referenceCount: number | null;
        openAccessPdf: string | null;
        url: string | null;
      } | null;
      bibtex: string | null;
      citations: Array<{
        paper: {
          title: string | null;
          id: string | null;
          year: number | null;
          authors: Array<{ name: string; id: string | null }>;
          venue: string | null;
          citationCount: number | null;
          url: string | null;
        };
        contexts: string[];
        intents: string[];
        isInfluential: boolean | null;
      }>;
      nextOffset: number | null;
    };
  };
  /** Search authors of scholarly papers by name. */
  'scholar-search-authors': {
    get: true;
    request: {
      /** The author's name. */
      query: string;
      /** Number of authors. @default 10 */
      limit?: number;
      /** Authors to leave out: the `nextOffset` of an earlier answer. @default 0 */
      offset?: number;
    };
    response: {
      total: number | null;
      nextOffset: number | null;
      authors: Array<{
        name: string;
        id: string | null;
        affiliations: string[];
        homepage: string | null;
        paperCount: number | null;
        citationCount: number | null;
        hIndex: number | null;
        url: string | null;
        orcid: string | null;
      }>;
    };
  };
  /** Search scholarly papers. */
  'scholar-search-papers': {
    get: true;
    request: {
      /** What to search for, in plain words. */
      query: string;
      /** Number of papers. @default 10 */
      limit?: number;
      /** Papers to leave out: the `nextOffset` of an earlier answer. @default 0 */
      offset?: number;
      /** The year, or years such as `2016-2020`, `2010-` or `-2015`. */
      year?: string;
      /** Only papers of one of these fields. */
      fieldsOfStudy?: Array<'Agricultural and Food Sciences' | 'Art' | 'Biology' | 'Business' | 'Chemistry' | 'Computer Science' | 'Economics' | 'Education' | 'Engineering' | 'Environmental Science' | 'Geography' | 'Geology' | 'History' | 'Law' | 'Linguistics' | 'Materials Science' | 'Mathematics' | 'Medicine' | 'Philosophy' | 'Physics' | 'Political Science' | 'Psychology' | 'Sociology'>;
      /** Only papers of one of these types. */
      publicationTypes?: Array<'Book' | 'BookSection' | 'CaseReport' | 'ClinicalTrial' | 'Conference' | 'Dataset' | 'Editorial' | 'JournalArticle' | 'LettersAndComments' | 'MetaAnalysis' | 'News' | 'Review' | 'Study'>;
      /** Only papers of this journal or conference. */
      venue?: string;
      /** Only papers that are cited so often. */
      minCitations?: number;
      /** Only papers with a free PDF. @default false */
      openAccessOnly?: boolean;
    };
    response: {
      total: number | null;
      nextOffset: number | null;
      papers: Array<{
        id: string;
        title: string | null;
        abstract: string | null;
        tldr: string | null;
        authors: Array<{ name: string; id: string | null }>;
        year: number | null;
        publicationDate: string | null;
        venue: string | null;
        doi: string | null;
        arxivId: string | null;
        citationCount: number | null;
        influentialCitationCount: number | null;
        referenceCount: number | null;
        openAccessPdf: string | null;
        url: string | null;
      }>;
    };
  };
  /** A summary of several papers, written by a language model from their abstracts. */
  'scholar-summarize-papers': {
    get: false;
    request: {
      /** The papers, each as in `scholar-get-citation-details`. */
      paperIds?: string[];
      /** What to search papers for, if not `paperIds` names them. */
      query?: string;
      /** Number of papers of a search. @default 5 */
      limit?: number;
      /** What the summary is to be about. */
      focus?: string;
      /** The form of the summary. @default 'bullets' */
      style?: 'bullets' | 'paragraph' | 'table';
      /** The language to write in, as a code such as `en` or `pt-BR`. @default 'en' */
      language?: string;
    };
    response: {
      summary: string;
      missing: string[];
      model: string;
      usage: { inputTokens: number; outputTokens: number };
      papers: Array<{
        id: string;
        title: string | null;
        year: number | null;
        url: string | null;
        used: boolean;
        number: number;
      }>;
    };
  };
  /** Search scientific papers of arXiv, PubMed, bioRxiv and medRxiv. */
  'search-academic': {
    get: true;
    request: {
      /** What to search for. */
      query: string;
      /** Number of papers. @default 20 */
      limit?: number;
      /** Parts of names: all must be authors. */
      authors?: string[];
      /** Categories such as `cs.LG`: all must fit. */
      categories?: string[];
      /** The earliest day of the paper. */
      fromDate?: string;
      /** The latest day of the paper. */
      toDate?: string;
    };
    response: {
      query: string;
      results: Array<{ id: string; title: string; abstract: string | null; score: number | null; ids: unknown }>;
    };
  };
  /** Coins of a name or symbol with their market data, the most valuable first. */
  'search-crypto': {
    get: true;
    request: {
      /** A coin's name or symbol. */
      query: string;
      /** The currency of the prices. @default 'usd' */
      currency?: string;
      /** Number of coins. @default 5 */
      limit?: number;
    };
    response: {
      coins: Array<{
        id: string;
        symbol: string | null;
        name: string | null;
        image: string | null;
        price: number | null;
        marketCap: number | null;
        rank: number | null;
        volume24h: number | null;
        high24h: number | null;
        low24h: number | null;
        changePercent24h: number | null;
        updatedAt: string | null;
      }>;
    };
  };
  /** Concerts, sports, theatre and other events with tickets. */
  'search-events': {
    get: true;
    request: {
      /** Words to look for. */
      query?: string;
      /** Only events in this city. */
      city?: string;
      /** Only events in this country, as two letters. */
      countryCode?: string;
      /** Only events in this state, such as `NY`. */
      stateCode?: string;
      /** Only events with this postal code. */
      postalCode?: string;
      /** Only events near this point, as `latitude,longitude`. */
      latlong?: string;
      /** How near to that point. */
      radius?: number;
      /** The radius's unit. @default 'km' */
      unit?: 'km' | 'miles';
      /** Only events that start after this time. */
      startDate?: string;
      /** Only events that start before this time. */
      endDate?: string;
      /** Only this kind of event, such as `music`, `sports` or `arts`. */
      category?: string;
      /** What to sort by, and the order. @default 'date,asc' */
      sort?: 'date,asc' | 'date,desc' | 'relevance,desc' | 'name,asc' | 'distance,asc';
      /** Events of a page. @default 20 */
      limit?: number;
      /** The page's number, from 0. @default 0 */
      page?: number;
      /** The language of the events' texts; `*` is any. @default '*' */
      locale?: string;
    };
    response: {
      events: Array<{
        id: string;
        name: string | null;
        url: string | null;
        /** In the venue's time zone. */
        date: string | null;
        /** In the venue's time zone. */
        time: string | null;
        /** The same time in UTC. */
        dateTime: string | null;
        status: string | null;
        venue: string | null;
        city: string | null;
        country: string | null;
        address: string | null;
        priceMin: number | null;
        priceMax: number | null;
        currency: string | null;
        category: string | null;
        genre: string | null;
        imageUrl: string | null;
      }>;
      page: number;
      pages: number;
      total: number;
    };
  };
  /** Hotels and homes with prices. */
  'search-hotels': {
    get: true;
    request: {
      /** The currency of prices, as three letters. @default 'USD' */
      currency?: string;
      /** The language of the answer. @default 'en' */
      language?: string;
      /** The country to search from, as two letters. @default 'us' */
      country?: string;
      /** A city, an area or a hotel. */
      query: string;
      /** The first day. */
      checkIn: string;
      /** The day of leaving. */
      checkOut: string;
      /** Number of adults; with the children at most 6, or 10 with `vacationRentals`. @default 2 */
      adults?: number;
      /** Number of children; with any, `childrenAges` is required. @default 0 */
      children?: number;
      /** The age of each child; 1 for those who are younger. */
      childrenAges?: number[];
      /** What to sort by. @default 'relevance' */
      sort?: 'relevance' | 'price' | 'rating' | 'reviews';
      /** The lowest price of a night. */
      minPrice?: number;
      /** The highest price of a night. */
      maxPrice?: number;
      /** Only what is rated so well or better. */
      minRating?: '3.5' | '4.0' | '4.5';
      /** Only hotels with these numbers of stars; not with `vacationRentals`. */
      hotelClass?: number[];
      /** Only what can be cancelled for nothing; not with `vacationRentals`. */
      freeCancellation?: boolean;
      /** Homes instead of hotels. @default false */
      vacationRentals?: boolean;
      /** `nextCursor` of the page before; the other parameters stay the same. */
      cursor?: string;
    };
    response: {
      hotels: Array<{
        name: string;
        type: string | null;
        description: string | null;
        url: string | null;
        token: string | null;
        latitude: number | null;
        longitude: number | null;
        pricePerNight: number | null;
        priceText: string | null;
        totalPrice: number | null;
        stars: number | null;
        rating: number | null;
        reviews: number | null;
        amenities: string[];
        imageUrl: string | null;
        checkInTime: string | null;
        checkOutTime: string | null;
      }>;
      nextCursor: string | null;
      currency: string | null;
    };
  };
  /** Icons for a word, with filters. */
  'search-icons': {
    get: true;
    request: {
      /** What to search for. */
      query: string;
      /** The page, from 1. @default 1 */
      page?: number;
      /** Results on a page. @default 20 */
      perPage?: number;
      /** It has no effect: Magnific sorts the icons for a word by how well they fit. @default 'relevance' */
      order?: 'relevance' | 'recent';
      /** Pixels of a thumbnail's side. @default 128 */
      thumbnailSize?: number;
      /** Their color. */
      color?: 'gradient' | 'solid-black' | 'multicolor' | 'azure' | 'black' | 'blue' | 'chartreuse' | 'cyan' | 'gray' | 'green' | 'orange' | 'red' | 'rose' | 'spring-green' | 'violet' | 'white' | 'yellow';
      /** How they are drawn. */
      shape?: 'outline' | 'fill' | 'lineal-color' | 'hand-drawn';
      /** Whether their SVG is free. */
      license?: 'all' | 'free' | 'premium';
      /** What kinds of icons. */
      iconType?: Array<'standard' | 'animated' | 'sticker' | 'uicon'>;
      /** The language of the search, such as `de-DE`. @default 'en-US' */
      language?: string;
    };
    response: {
      results: Array<{
        id: number;
        name: string;
        slug: string | null;
        style: string | null;
        family: string | null;
        author: string | null;
        thumbnailUrl: string | null;
        freeSvg: boolean | null;
        tags: string[];
      }>;
      pagination: {
        page: number | null;
        perPage: number | null;
        totalPages: number | null;
        total: number | null;
      };
    };
  };
  /** Images of the web. */
  'search-images': {
    get: true;
    request: {
      /** What to search for, in at most 50 words; operators such as `site:` are understood. */
      query: string;
      /** The country that results come from, in two capital letters, or `ALL`. Brave knows about forty. @default 'US' */
      country?: string;
      /** The language of the results, such as `en` or `pt-br`. @default 'en' */
      searchLang?: string;
      /** Number of results. @default 50 */
      count?: number;
      /** Whether to leave out adult content. @default 'strict' */
      safesearch?: 'off' | 'strict';
      /** Correct the query's spelling. @default true */
      spellcheck?: boolean;
    };
    response: {
      query: string | null;
      results: Array<{
        imageUrl: string | null;
        title: string | null;
        thumbnailUrl: string | null;
        pageUrl: string | null;
        source: string | null;
        width: number | null;
        height: number | null;
      }>;
    };
  };
  /** Search for PDF documents. */
  'search-pdfs': {
    get: false;
    request: {
      /** What to search for. */
      query: string;
      /** Number of results of each source. @default 10 */
      limit?: number;
      /** Only pages of these domains. */
      includeDomains?: string[];
      /** No pages of these domains; not together with `includeDomains`. */
      excludeDomains?: string[];
      /** Only pages of the last hour, day, week, month or year. */
      timeRange?: 'hour' | 'day' | 'week' | 'month' | 'year';
      /** The country to search from, in two letters. @default 'US' */
      country?: string;
      /** Return the text of each PDF as well; every page costs. @default false */
      includeContent?: boolean;
    };
    response: {
      query: string;
      creditsUsed: number | null;
      results: Array<{
        url: string;
        title: string | null;
        snippet: string | null;
        markdown: string | null;
        category: string | null;
      }>;
    };
  };
  /** Places and businesses that match a text. */
  'search-places': {
    get: true;
    request: {
      /** What to look for, such as `pizza in Boston`. */
      query: string;
      /** Degrees to the north of a point to prefer places near. */
      latitude?: number;
      /** Degrees to the east of that point. */
      longitude?: number;
      /** How near, in meters; without a point it has no effect. @default 5000.0 */
      radiusMeters?: number;
      /** A type of place to prefer, such as `restaurant`; others may be there too. */
      type?: string;
      /** Only what is open now. */
      openNow?: boolean;
      /** Only what is rated so well or better, in steps of 0.5. */
      minRating?: number;
      /** Only these levels of prices. */
      priceLevels?: Array<'PRICE_LEVEL_INEXPENSIVE' | 'PRICE_LEVEL_MODERATE' | 'PRICE_LEVEL_EXPENSIVE' | 'PRICE_LEVEL_VERY_EXPENSIVE'>;
      /** Places of a page. @default 10 */
      limit?: number;
      /** The language of names and addresses. @default 'en' */
      language?: string;
      /** The country that the asker is in, as two letters. */
      region?: string;
      /** `nextCursor` of the page before; the other parameters stay the same. */
      cursor?: string;
    };
    response: {
      places: Array<{
        id: string;
        name: string | null;
        address: string | null;
        latitude: number | null;
        longitude: number | null;
        rating: number | null;
        reviews: number | null;
        type: string | null;
        priceLevel: string | null;
        mapsUrl: string | null;
        website: string | null;
        openNow: boolean | null;
      }>;
      nextCursor: string | null;
    };
  };
  /** Stock photos, vectors and PSDs for a word, with filters. */
  'search-stock-images': {
    get: true;
    request: {
      /** What to search for. */
      query: string;
      /** The page, from 1. @default 1 */
      page?: number;
      /** Results on a page. @default 20 */
      limit?: number;
      /** The order of the results. @default 'relevance' */
      order?: 'relevance' | 'recent';
      /** The shape of the images. */
      orientation?: 'landscape' | 'portrait' | 'square' | 'panoramic';
      /** What kind of images. @default 'photo' */
      contentType?: 'photo' | 'psd' | 'vector';
      /** The license. */
      license?: 'freemium' | 'premium';
      /** The predominant color. */
      color?: 'black' | 'blue' | 'gray' | 'green' | 'orange' | 'red' | 'white' | 'yellow' | 'purple' | 'cyan' | 'pink';
      /** Only images with people, or only without. */
      people?: 'include' | 'exclude';
      /** Only images that were added since. */
      period?: 'last-month' | 'last-quarter' | 'last-semester' | 'last-year';
      /** No images that a model has made, or only such. */
      aiGenerated?: 'excluded' | 'only';
      /** The language of the search, such as `de-DE`. @default 'en-US' */
      language?: string;
    };
    response: {
      results: Array<{
        id: number;
        title: string;
        pageUrl: string;
        type: string | null;
        orientation: string | null;
        previewUrl: string | null;
        size: string | null;
        license: string | null;
        author: string | null;
        /** Such as `2020-12-01 23:50:50+00:00`. */
        publishedAt: string | null;
        downloads: number | null;
      }>;
      pagination: {
        page: number | null;
        perPage: number | null;
        totalPages: number | null;
        total: number | null;
      };
    };
  };
  /** Stock videos for a word, with filters. */
  'search-stock-videos': {
    get: true;
    request: {
      /** What to search for. */
      query: string;
      /** The page, from 1. @default 1 */
      page?: number;
      /** The order of the results. @default 'relevance' */
      order?: 'relevance' | 'recent' | 'random';
      /** The shape of the videos. */
      orientation?: 'horizontal' | 'vertical' | 'square' | 'panoramic';
      /** What kind of videos. */
      category?: 'footage' | 'motion_graphics';
      /** Seconds that they last at least. */
      durationFrom?: number;
      /** Seconds that they last at most. */
      durationTo?: number;
      /** The license. */
      license?: 'free' | 'premium';
      /** The resolution. */
      resolution?: '720' | '1080' | '2k' | '4k';
      /** What they show. */
      topic?: Array<'people' | 'nature' | 'business' | 'background' | 'food' | 'travel' | 'sports' | 'events'>;
      /** The language of the search, such as `de-DE`. @default 'en-US' */
      language?: string;
    };
    response: {
      results: Array<{
        id: number;
        title: string;
        pageUrl: string | null;
        quality: string | null;
        /** Such as `00:00:12`. */
        duration: string | null;
        aspectRatio: string | null;
        premium: boolean | null;
        author: string | null;
        thumbnailUrl: string | null;
        previewUrl: string | null;
      }>;
      pagination: {
        page: number | null;
        perPage: number | null;
        totalPages: number | null;
        total: number | null;
      };
    };
  };
  /** Stocks of a name or symbol, with their latest prices if available. */
  'search-stocks': {
    get: true;
    request: {
      /** A symbol, a name, an ISIN or a CUSIP. */
      query: string;
      /** Only listings there, such as `US`. */
      exchange?: string;
      /** Number of stocks. @default 3 */
      limit?: number;
      /** Look up the latest price of each. @default true */
      includeQuote?: boolean;
    };
    response: {
      stocks: Array<{
        symbol: string;
        displaySymbol: string | null;
        name: string | null;
        type: string | null;
        price: number | null;
        change: number | null;
        changePercent: number | null;
        high: number | null;
        low: number | null;
        open: number | null;
        previousClose: number | null;
        /** Seconds since 1970. */
        time: number | null;
      }>;
    };
  };
  /** Videos of the web. */
  'search-videos': {
    get: true;
    request: {
      /** What to search for, in at most 50 words; operators such as `site:` are understood. */
      query: string;
      /** The country that results come from, in two capital letters, or `ALL`. Brave knows about forty. @default 'US' */
      country?: string;
      /** The language of the results, such as `en` or `pt-br`. @default 'en' */
      searchLang?: string;
      /** Pages of results to skip. @default 0 */
      offset?: number;
      /** How much adult content to leave out. @default 'moderate' */
      safesearch?: 'off' | 'moderate' | 'strict';
      /** Only what was found in the last day (`pd`), week (`pw`), month (`pm`) or year (`py`), or between two days (`2026-01-01to2026-01-31`). */
      freshness?: string;
      /** Number of results. @default 20 */
      count?: number;
      /** Correct the query's spelling. @default true */
      spellcheck?: boolean;
    };
    response: {
      query: string | null;
      results: Array<{
        url: string;
        title: string | null;
        snippet: string | null;
        /** When the page was made, as Brave knows it, without a zone. */
        date: string | null;
        thumbnailUrl: string | null;
        /** Such as `04:31`. */
        duration: string | null;
        views: number | null;
        creator: string | null;
        publisher: string | null;
      }>;
    };
  };
  /** A summary of what the web says, with its sources. */
  'search-web': {
    get: false;
    request: {
      /** The question. */
      query: string;
      /** How thorough to be, from a quick look to long research. @default 'sonar' */
      model?: 'sonar' | 'sonar-pro';
      /** Only pages published since then. */
      recency?: 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Only pages of these domains; with a `-` in front of each, none of them. */
      domains?: string[];
      /** The language of the answer, in two letters. */
      language?: string;
    };
    response: {
      answer: string;
      truncated: boolean;
      model: string | null;
      citations: string[];
      results: Array<{
        url: string;
        /** The number that the answer cites it by. */
        id: number | null;
        title: string | null;
        snippet: string | null;
        date: string | null;
      }>;
      usage: { inputTokens: number; outputTokens: number | null; totalTokens: number | null } | null;
      costDollars: number | null;
    };
  };
  /** An answer from the web that follows instructions, with its sources. */
  'search-web-ai': {
    get: false;
    request: {
      /** The question. */
      query: string;
      /** How thorough to be, from a quick look to long research. @default 'sonar' */
      model?: 'sonar' | 'sonar-pro' | 'sonar-reasoning-pro' | 'sonar-deep-research';
      /** Only pages published since then. */
      recency?: 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Only pages of these domains; with a `-` in front of each, none of them. */
      domains?: string[];
      /** The language of the answer, in two letters. */
      language?: string;
      /** The instructions: what to look for, and how to answer. */
      prompt: string;
      /** Only pages published after this day; not with `recency`. */
      afterDate?: string;
      /** Only pages published before this day; not with `recency`. */
      beforeDate?: string;
      /** How much of the pages to read. @default 'low' */
      searchContextSize?: 'low' | 'medium' | 'high';
      /** The length of the answer, with what the model thinks, in tokens. */
      maxTokens?: number;
      /** How freely to word the answer. */
      temperature?: number;
    };
    response: {
      answer: string;
      truncated: boolean;
      model: string | null;
      citations: string[];
      results: Array<{
        url: string;
        /** The number that the answer cites it by. */
        id: number | null;
        title: string | null;
        snippet: string | null;
        date: string | null;
      }>;
      usage: { inputTokens: number; outputTokens: number | null; totalTokens: number | null } | null;
      costDollars: number | null;
    };
  };
  /** Ranked results of a web search, without a model. */
  'search-web-raw': {
    get: true;
    request: {
      /** What to search for, in at most 50 words; operators such as `site:` are understood. */
      query: string;
      /** The country that results come from, in two capital letters, or `ALL`. Brave knows about forty. @default 'US' */
      country?: string;
      /** The language of the results, such as `en` or `pt-br`. @default 'en' */
      searchLang?: string;
      /** Pages of results to skip. @default 0 */
      offset?: number;
      /** How much adult content to leave out. @default 'moderate' */
      safesearch?: 'off' | 'moderate' | 'strict';
      /** Only what was found in the last day (`pd`), week (`pw`), month (`pm`) or year (`py`), or between two days (`2026-01-01to2026-01-31`). */
      freshness?: string;
      /** Number of results. @default 20 */
      count?: number;
      /** Return up to five more excerpts of each page, where the plan has them. */
      extraSnippets?: boolean;
    };
    response: {
      query: string | null;
      more: boolean | null;
      results: Array<{
        url: string;
        title: string | null;
        snippet: string | null;
        /** When the page was made, as Brave knows it, without a zone. */
        date: string | null;
        language: string | null;
        site: string | null;
        thumbnail: string | null;
        extraSnippets: string[];
      }>;
    };
  };
  'send-email': Endpoints['cloudsuite/mail-send'];
  /** Products that match words, with their prices. */
  'shop-search': {
    get: true;
    request: {
      /** What to look for. */
      query: string;
      /** The shop's domain. @default 'amazon.com' */
      domain?: string;
      /** The language of the shop's pages, such as `en_US`. */
      language?: string;
      /** What to sort by. @default 'relevanceblender' */
      sort?: 'relevanceblender' | 'price-asc-rank' | 'price-desc-rank' | 'review-rank' | 'date-desc-rank' | 'exact-aware-popularity-rank';
      /** The page's number. @default 1 */
      page?: number;
    };
    response: {
      products: Array<{
        id: string;
        title: string | null;
        url: string | null;
        imageUrl: string | null;
        price: number | null;
        priceText: string | null;
        oldPrice: string | null;
        rating: number | null;
        reviews: number | null;
        prime: boolean | null;
      }>;
      page: number;
    };
  };
  /** Post a video from a URL to the user's own account. */
  'shortvideo-post-video': {
    get: false;
    request: {
      /** Where the vendor fetches the video: an https URL whose host is verified there. */
      videoUrl: string;
      /** The caption, with its #hashtags and @mentions. */
      title?: string;
      /** Who can see it: one of those that the account offers. @default 'SELF_ONLY' */
      privacyLevel?: 'PUBLIC_TO_EVERYONE' | 'MUTUAL_FOLLOW_FRIENDS' | 'FOLLOWER_OF_CREATOR' | 'SELF_ONLY';
      /** Nobody can comment on it. @default false */
      disableComment?: boolean;
      /** Nobody can make a duet of it. @default false */
      disableDuet?: boolean;
      /** Nobody can stitch it. @default false */
      disableStitch?: boolean;
      /** Which moment of the video is its cover, in milliseconds. */
      coverTimestampMs?: number;
      /** It was made with AI. @default false */
      isAiGenerated?: boolean;
      /** It is paid for by another business; not with `SELF_ONLY`. @default false */
      brandContent?: boolean;
      /** It advertises the user's own business. @default false */
      brandOrganic?: boolean;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      publishId?: string;
      /** The account's name. */
      creator?: string;
      result?: {
        publishId: string;
        /** The account's name. */
        creator: string;
        status: string;
        postIds: string[];
      };
    };
  };
  /** The astronomy picture of a day, of several days, or of random days. */
  'space-apod': {
    get: true;
    request: {
      /** The day, from 1995-06-16 on; by default today. */
      date?: string;
      /** The first day of several. */
      startDate?: string;
      /** The last day of several; by default today. */
      endDate?: string;
      /** So many pictures of random days, instead of dates. */
      count?: number;
      /** Also the address of a video's still. @default true */
      thumbs?: boolean;
    };
    response: {
      pictures: Array<{
        date: string;
        title: string | null;
        explanation: string | null;
        /** `image`, `video` or `other`. */
        mediaType: string | null;
        url: string | null;
        hdUrl: string | null;
        thumbnailUrl: string | null;
        copyright: string | null;
      }>;
    };
  };
  /** Asteroids and comets that pass near the Earth, for at most seven days. */
  'space-neows-feed': {
    get: true;
    request: {
      /** The first day. */
      startDate: string;
      /** The last day, at most seven after the first, which is the default. */
      endDate?: string;
    };
    response: {
      count: number;
      objects: Array<{
        id: string;
        name: string | null;
        url: string | null;
        date: string | null;
        /** Such as `2015-Sep-08 20:28`. */
        approachTime: string | null;
        magnitude: number | null;
        diameterMinM: number | null;
        diameterMaxM: number | null;
        hazardous: boolean | null;
        velocityKmh: string | null;
        missDistanceKm: string | null;
      }>;
    };
  };
  /** A transcript of audio or video, word by word. */
  'speech-to-text': {
    get: false;
    request: {
      /** A public https URL of audio or video, which ElevenLabs loads. */
      audioUrl?: string;
      /** Audio or video in base64, at most 8 MiB, in the place of `audioUrl`. */
      audioBase64?: string;
      /** The model. ElevenLabs has announced the removal of `scribe_v1` for 9 July 2026. @default 'scribe_v2' */
      modelId?: 'scribe_v1' | 'scribe_v2';
      /** The language that is spoken, in two or three letters; recognized if it is not given. */
      languageCode?: string;
      /** Tell the speakers apart. @default false */
      diarize?: boolean;
      /** At most so many people speak. */
      numSpeakers?: number;
      /** What has times. @default 'word' */
      timestampsGranularity?: 'none' | 'word' | 'character';
      /** Name sounds such as laughter. @default true */
      tagAudioEvents?: boolean;
    };
    response: {
      text: string;
      language: string;
      languageProbability: number | null;
      durationSeconds: number | null;
      words: Array<{
        text: string;
        /** Seconds from the beginning. */
        start: number | null;
        /** Seconds from the beginning. */
        end: number | null;
        type: string;
        speaker: string | null;
        characters: Array<{
          text: string;
          /** Seconds from the beginning. */
          start: number | null;
          /** Seconds from the beginning. */
          end: number | null;
        }>;
      }>;
    };
  };
  /** A picture in the style of another one. */
  'style-transfer-image': {
    get: false;
    request: {
      /** The picture to change. Its https address, or base64 of at most 5 MiB. */
      image: string;
      /** The picture whose style it takes. Its https address, or base64 of at most 5 MiB. */
      referenceImage: string;
      /** What the result shows. */
      prompt?: string;
      /** How much of the style it takes. @default 100 */
      styleStrength?: number;
      /** How much of its structure it keeps. @default 50 */
      structureStrength?: number;
      /** Treat it as a portrait. @default false */
      isPortrait?: boolean;
      /** The style of a portrait, with `isPortrait`. */
      portraitStyle?: 'standard' | 'pop' | 'super_pop';
      /** Beautify the face of a portrait, with `isPortrait`. */
      portraitBeautifier?: 'beautify_face' | 'beautify_face_max';
      /** How the style is taken over. @default 'faithful' */
      flavor?: 'faithful' | 'gen_z' | 'psychedelia' | 'detaily' | 'clear' | 'donotstyle' | 'donotstyle_sharp';
      /** The engine that makes it. @default 'balanced' */
      engine?: 'balanced' | 'definio' | 'illusio' | '3d_cartoon' | 'colorful_anime' | 'caricature' | 'real' | 'super_real' | 'softy';
      /** Make the same picture of the same parameters. @default false */
      fixedGeneration?: boolean;
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Messages of a channel, the newest first. */
  'teamchat-channel-history': {
    get: true;
    request: {
      /** The channel's id. */
      channel: string;
      /** Only messages after this time, in seconds since 1970, or after the one with this `ts`. */
      oldest?: string;
      /** Only messages before this time. */
      latest?: string;
      /** Also the messages at `oldest` and `latest`. @default false */
      inclusive?: boolean;
      /** Messages of a page. @default 50 */
      limit?: number;
      /** The `nextCursor` of the page before. */
      cursor?: string;
    };
    response: {
      messages: Array<{
        ts: string;
        user: string | null;
        text: string | null;
        subtype: string | null;
        threadTs: string | null;
        replyCount: number | null;
        reactions: Array<{ name: string; count: number | null }>;
      }>;
      hasMore: boolean | null;
      /** Empty on the last page. */
      nextCursor: string | null;
    };
  };
  /** The channels that may be read and written. */
  'teamchat-channels': {
    get: true;
    request: {
      /** Kinds of channels, comma separated: `public_channel`, `private_channel`, `mpim` (a message to several), `im` (a message to one). @default 'public_channel' */
      types?: string;
      /** No archived channels. @default true */
      excludeArchived?: boolean;
      /** Channels that Slack looks at for a page; the page has those of them that are open to this service. @default 200 */
      limit?: number;
      /** The `nextCursor` of the page before. */
      cursor?: string;
    };
    response: {
      channels: Array<{
        id: string;
        name: string | null;
        isPrivate: boolean | null;
        isArchived: boolean | null;
        isMember: boolean | null;
        topic: string | null;
        purpose: string | null;
        memberCount: number | null;
      }>;
      /** Empty on the last page. */
      nextCursor: string | null;
    };
  };
  /** Send a message to a channel as the bot. */
  'teamchat-send-message': {
    get: false;
    request: {
      /** The channel's id. */
      channel: string;
      /** The message; with blocks, what notifications show, and then it may be empty. */
      text: string;
      /** The `ts` of the message to reply to. */
      threadTs?: string;
      /** Blocks of Slack's Block Kit, which lay the message out. */
      blocks?: Array<Record<string, unknown>>;
      /** Show a reply in the channel too. @default false */
      replyBroadcast?: boolean;
      /** Show previews of linked pages. */
      unfurlLinks?: boolean;
    };
    response: { ts: string; channel: string | null; text: string | null };
  };
  /** The workspace: its name, domain and icon. */
  'teamchat-team-info': {
    get: true;
    request: {
      /** The workspace's id; only where the bot belongs to a whole organization. */
      team?: string;
    };
    response: {
      id: string;
      name: string | null;
      domain: string | null;
      emailDomain: string | null;
      iconUrl: string | null;
    };
  };
  /** Speech from text, stored for a day. */
  'text-to-speech': {
    get: false;
    request: {
      /** What to say. */
      text: string;
      /** The voice; without it, the one that the operator has set. */
      voiceId?: string;
      /** The model; each has a price, and takes texts of a certain length. @default 'eleven_multilingual_v2' */
      modelId?: 'eleven_multilingual_v2' | 'eleven_v3' | 'eleven_flash_v2_5' | 'eleven_turbo_v2_5';
      /** Codec, samples a second, and kilobits a second. @default 'mp3_44100_128' */
      outputFormat?: 'mp3_22050_32' | 'mp3_44100_64' | 'mp3_44100_96' | 'mp3_44100_128' | 'mp3_44100_192' | 'opus_48000_128';
      /** The language of the text, in two letters; not every model reads it. */
      languageCode?: string;
      /** How even the voice is; with `eleven_v3`, only 0, 0.5 or 1. */
      stability?: number;
      /** How close to the voice's original. */
      similarityBoost?: number;
      /** How much of the original's style. */
      style?: number;
      /** How fast; 1 is as usual. */
      speed?: number;
      /** Repeats a speech, with the same parameters. */
      seed?: number;
    };
    response: {
      audio: {
        /** Works for anybody for ten minutes, then with your bearer token. */
        url: string;
        /** Its media type, such as image/png. */
        mediaType: string;
        /** Its size. */
        bytes: number;
        /** When it is deleted. */
        expiresAt: string;
      };
      voiceId: string;
      model: string;
      characters: number;
      /** In ElevenLabs' credits; some voices cost more than others. */
      characterCost: number | null;
    };
  };
  /** Disruptions and changes of the service of New York's subway. */
  'transit-subway-alerts': {
    get: true;
    request: {
      /** Only alerts about this line. */
      route?: 'S' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | 'GS' | 'A' | 'C' | 'E' | 'H' | 'B' | 'D' | 'F' | 'M' | 'FS' | 'G' | 'J' | 'Z' | 'N' | 'Q' | 'R' | 'W' | 'L' | 'SI';
      /** Only what holds now. @default true */
      activeOnly?: boolean;
      /** Number of alerts, the newest first. @default 20 */
      limit?: number;
    };
    response: {
      alerts: Array<{
        id: string;
        type: string | null;
        routes: string[];
        stops: string[];
        header: string | null;
        description: string | null;
        periods: Array<{ start: string | null; end: string | null }>;
        updatedAt: string | null;
      }>;
    };
  };
  /** The next subway trains at a stop in New York. */
  'transit-subway-arrivals': {
    get: true;
    request: {
      /** The stop's id, such as `127` or `127N`, or words of the station's name. */
      stop: string;
      /** Only this line, express trains included. */
      route?: 'S' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | 'GS' | 'A' | 'C' | 'E' | 'H' | 'B' | 'D' | 'F' | 'M' | 'FS' | 'G' | 'J' | 'Z' | 'N' | 'Q' | 'R' | 'W' | 'L' | 'SI';
      /** Only this direction. @default 'both' */
      direction?: 'north' | 'south' | 'both';
      /** Number of arrivals. @default 10 */
      limit?: number;
    };
    response: {
      stop: {
        id: string;
        /** Its id, if the list of stations fails. */
        name: string;
        ids: string[];
      };
      arrivals: Array<{
        route: string;
        direction: string | null;
        stopId: string;
        time: string;
        /** From when the train's own feed was made. */
        minutes: number;
        tripId: string;
        /** The last stop of the trip. */
        headsign: string | null;
      }>;
      /** When the oldest feed that was read was made. */
      feedTimestamp: string;
    };
  };
  /** A picture with 2 to 16 times as many pixels in each direction. */
  'upscale-image': {
    get: false;
    request: {
      /** The picture to enlarge. Its address, or base64 of at most 5 MiB. */
      image: string;
      /** Be faithful to the picture (`precision`), or invent details (`creative`). @default 'precision' */
      mode?: 'precision' | 'creative';
      /** How many times as wide and high; with `creative`, 2, 4, 8 or 16, and the result has at most 25.3 megapixels. @default 2 */
      scaleFactor?: number;
      /** How sharp it becomes, with `precision`: 7 unless given. */
      sharpen?: number;
      /** How much grain it gets, with `precision`: 7 unless given. */
      smartGrain?: number;
      /** How much fine detail it gets, with `precision`: 30 unless given. */
      ultraDetail?: number;
      /** What it is made for, with `precision`: art, photos, or photos with noise. */
      flavor?: 'sublime' | 'photo' | 'photo_denoiser';
      /** What the picture shows, with `creative`. */
      prompt?: string;
      /** What kind of picture it is, with `creative`. */
      optimizedFor?: 'standard' | 'soft_portraits' | 'hard_portraits' | 'art_n_illustration' | 'videogame_assets' | 'nature_n_landscapes' | 'films_n_photography' | '3d_renders' | 'science_fiction_n_horror';
      /** How much it invents, with `creative`: 0 unless given. */
      creativity?: number;
      /** How much definition it gets, with `creative`: 0 unless given. */
      hdr?: number;
      /** How close it stays to the original, with `creative`: 0 unless given. */
      resemblance?: number;
      /** How intricate it becomes, with `creative`: 0 unless given. */
      fractality?: number;
      /** The engine that makes it, with `creative`. */
      engine?: 'automatic' | 'magnific_illusio' | 'magnific_sharpy' | 'magnific_sparkle';
      /** Seconds to hold the call open for the result. @default 60 */
      wait?: number;
    };
    response: {
      jobId: string;
      status: 'running' | 'done';
      /** The model that makes it. */
      model?: string;
      result?: {
        /** The model that makes it. */
        model: string;
        images: Array<{
          /** Where Magnific keeps it. Copy what you need: the address may end without notice. */
          url: string;
        }>;
      };
    };
  };
  /** Videos that match words. */
  'videosite-search': {
    get: true;
    request: {
      /** The `nextCursor` of the page before. */
      cursor?: string;
      /** Words to search for; `-` excludes one, `|` allows either of two. */
      query: string;
      /** Videos of a page. @default 10 */
      maxResults?: number;
      /** What to sort by. @default 'relevance' */
      order?: 'relevance' | 'date' | 'rating' | 'viewCount' | 'title' | 'videoCount';
      /** Only videos published after this time. */
      publishedAfter?: string;
      /** Only videos published before this time. */
      publishedBefore?: string;
      /** `short` is under 4 minutes, `long` over 20, `medium` between. @default 'any' */
      duration?: 'any' | 'short' | 'medium' | 'long';
      /** Only videos that can be watched in this country, in two letters. */
      regionCode?: string;
      /** Prefer videos in this language, such as `en`. */
      language?: string;
      /** How much to leave out as unfit for minors. @default 'moderate' */
      safeSearch?: 'none' | 'moderate' | 'strict';
      /** Only videos of this channel. */
      channelId?: string;
    };
    response: {
      videos: Array<{
        title: string | null;
        description: string | null;
        channelId: string | null;
        channel: string | null;
        publishedAt: string | null;
        thumbnailUrl: string | null;
        id: string;
      }>;
      nextCursor: string | null;
      total: number | null;
    };
  };
  /** The most popular videos of the charts of music, films and gaming. */
  'videosite-trending': {
    get: true;
    request: {
      /** The `nextCursor` of the page before. */
      cursor?: string;
      /** The country of the chart, in two letters. @default 'US' */
      regionCode?: string;
      /** Only videos of this category: 10 is music, 20 gaming, 1 film. */
      categoryId?: string;
      /** Videos of a page. @default 20 */
      maxResults?: number;
    };
    response: {
      videos: Array<{
        title: string | null;
        description: string | null;
        channelId: string | null;
        channel: string | null;
        publishedAt: string | null;
        thumbnailUrl: string | null;
        id: string;
        tags: string[];
        /** ISO 8601, such as `PT4M13S`. */
        duration: string | null;
        /** A number, as text. */
        views: string | null;
        /** A number, as text. */
        likes: string | null;
        /** A number, as text. */
        comments: string | null;
      }>;
      nextCursor: string | null;
    };
  };
  /** Videos with their duration and counters; a hidden counter is null. */
  'videosite-video-details': {
    get: true;
    request: {
      /** The videos; one that does not exist is left out. */
      videoIds: string[];
      /** The language of titles and descriptions, where they are translated. */
      language?: string;
    };
    response: {
      videos: Array<{
        title: string | null;
        description: string | null;
        channelId: string | null;
        channel: string | null;
        publishedAt: string | null;
        thumbnailUrl: string | null;
        id: string;
        tags: string[];
        /** ISO 8601, such as `PT4M13S`. */
        duration: string | null;
        /** A number, as text. */
        views: string | null;
        /** A number, as text. */
        likes: string | null;
        /** A number, as text. */
        comments: string | null;
      }>;
    };
  };
  /** Weather day by day, for at most five days. */
  'weather-forecast': {
    get: true;
    request: {
      /** A city's name, or with its country or region, such as `Paris, France`; or give both coordinates. */
      city?: string;
      /** Degrees to the north. */
      latitude?: number;
      /** Degrees to the east. */
      longitude?: number;
      /** °C, km/h and mm, or °F, mph and inches. @default 'metric' */
      units?: 'metric' | 'imperial';
      /** The language of the city's name, in the call and the answer. @default 'en' */
      language?: string;
      /** Number of days. @default 5 */
      days?: number;
    };
    response: {
      place: {
        name: string | null;
        country: string | null;
        latitude: number | null;
        longitude: number | null;
        timezone: string | null;
      };
      /** The unit of each value, by the vendor's name for it, such as `temperature_2m`. */
      units: unknown;
      days: Array<{
        date: string;
        weatherCode: number | null;
        condition: string;
        tempMax: number | null;
        tempMin: number | null;
        precipitation: number | null;
        precipitationProbability: number | null;
        windMax: number | null;
        /** In the place's own time zone. */
        sunrise: string | null;
        /** In the place's own time zone. */
        sunset: string | null;
        uvIndexMax: number | null;
      }>;
    };
  };
}
